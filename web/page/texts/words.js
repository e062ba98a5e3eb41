/** How numbers, sizes, times and names are written inside the sentences of a language. */

const NBSP = "\u00a0";

/**
 * @param {{ locale: string, of: string, and: string, bytes: string, numerals: string[] }} language
 *   `of`: between a part and its whole; `numerals`: none, and one to nine, in letters
 */
export function wordsOf({ locale, of, and, bytes, numerals }) {
  const parts = new Intl.NumberFormat(locale).formatToParts(1000.5);
  const [thousands, decimal] = ["group", "decimal"].map((type) => parts.find((part) => part.type === type).value);

  /** A whole number, its thousands apart. */
  const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, thousands); // toLocaleString is a hundred times slower
  /** A number as it is. */
  const plain = (n) => String(n).replace(".", decimal);
  const decimals = (n, places) => plain(n.toFixed(places));
  const fixed = (n) => decimals(n, 1);
  const count = (n, one, many) => `${number(n)}${NBSP}${n === 1 ? one : many}`;

  /** Up to nine in letters. */
  const numeral = (n) => numerals[n] ?? number(n);

  const size = (n) => {
    if (n < 1000) return `${n}${NBSP}${bytes}`;
    if (n < 999_500) return `${Math.round(n / 1000)}${NBSP}KB`;
    return `${fixed(n / 1e6)}${NBSP}MB`;
  };

  /** "2.2 of 18.6 MB": both in the unit of the whole. */
  const sizeOf = (loaded, total) => `${total < 999_500 ? Math.round(loaded / 1000) : fixed(loaded / 1e6)} ${of} ${size(total)}`;

  const duration = (ms) => {
    if (ms < 950) return `${Math.round(ms)}${NBSP}ms`;
    if (ms < 59_500) return `${fixed(ms / 1000)}${NBSP}s`;
    return `${Math.round(ms / 60_000)}${NBSP}min`;
  };

  const listAnd = (parts) => (parts.length < 2 ? list(parts) : `${list(parts.slice(0, -1))} ${and} ${parts.at(-1)}`);

  return { number, plain, decimals, count, numeral, size, sizeOf, duration, listAnd, capital, list, percent, quoted, seconds };
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function seconds(s) {
  if (s < 59.5) return `${Math.max(1, Math.round(s))}${NBSP}s`;
  return `${Math.round(s / 60)}${NBSP}min`;
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

function list(parts) {
  return parts.join(", ");
}
