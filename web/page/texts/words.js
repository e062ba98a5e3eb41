/** How numbers, sizes, times and names are written inside the sentences of a language. */

const NBSP = "\u00a0";

export function count(n, one, many) {
  return `${number(n)}${NBSP}${n === 1 ? one : many}`;
}

/** A whole number, its thousands apart. */
export function number(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ","); // toLocaleString is a hundred times slower
}

const NUMERALS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** Up to nine in letters. */
export function numeral(n) {
  return NUMERALS[n] ?? number(n);
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes}${NBSP}bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)}${NBSP}KB`;
  return `${(bytes / 1e6).toFixed(1)}${NBSP}MB`;
}

/** "2.2 of 18.6 MB": both in the unit of the whole. */
export function sizeOf(loaded, total) {
  if (total < 999_500) return `${Math.round(loaded / 1000)} of ${size(total)}`;
  return `${(loaded / 1e6).toFixed(1)} of ${size(total)}`;
}

export function seconds(s) {
  if (s < 59.5) return `${Math.max(1, Math.round(s))}${NBSP}s`;
  return `${Math.round(s / 60)}${NBSP}min`;
}

export function duration(ms) {
  if (ms < 950) return `${Math.round(ms)}${NBSP}ms`;
  if (ms < 59_500) return `${(ms / 1000).toFixed(1)}${NBSP}s`;
  return `${Math.round(ms / 60_000)}${NBSP}min`;
}

/** A share as a whole percentage; what is not quite 0 or 1 is not written as 0 or 100. */
export function percent(share) {
  const whole = Math.round(share * 100);
  if (whole === 100 && share < 1) return `>99${NBSP}%`;
  if (whole === 0 && share > 0) return `<1${NBSP}%`;
  return `${whole}${NBSP}%`;
}

const TURNS = /[\p{Bidi_Control}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** A name inside a sentence: shortened in its middle when very long, isolated when it could turn the direction of what follows. */
export function quoted(name) {
  const letters = [...name.replace(/\s+/g, " ")];
  const short = letters.length > 64 ? [...letters.slice(0, 40), "…", ...letters.slice(-20)].join("") : letters.join("");
  return TURNS.test(short) ? `\u2068${short}\u2069` : short;
}

export function list(parts) {
  return parts.join(", ");
}

export function listAnd(parts) {
  return parts.length < 2 ? list(parts) : `${list(parts.slice(0, -1))} and ${parts.at(-1)}`;
}
