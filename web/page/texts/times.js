/** How times of the past are written inside the sentences of a language. */

const DAY = 86_400_000;

/**
 * @param {{ locale: string, now: string, minutes: (n: number) => string, today: (time: string) => string, yesterday: (time: string) => string, on: (day: string) => string }} language
 * @returns {{ clock: (at: number) => string, exactly: (at: Date) => string, ago: (at: number, now: number) => string }}  a number: milliseconds since 1970
 */
export function timesOf({ locale, now: justNow, minutes, today, yesterday, on }) {
  const clock = (at) => new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  const exactly = (at) => at.toLocaleTimeString(locale);
  const ago = (at, now) => {
    const passed = Math.floor((now - at) / 60_000);
    if (passed < 1) return justNow;
    if (passed < 60) return minutes(passed);
    const midnight = new Date(now).setHours(0, 0, 0, 0);
    if (at >= midnight) return today(clock(at));
    if (at >= midnight - DAY) return yesterday(clock(at));
    return on(new Date(at).toLocaleDateString(locale, { day: "numeric", month: "long" }));
  };
  return { clock, exactly, ago };
}
