/** The texts of the page in the language in use. The others are not loaded. */

/**
 * What holds of English in another language: whatever is a text there is one here.
 * @template T
 * @typedef {0 extends 1 & T ? any : T extends string ? string : T extends (...given: infer Given) => infer Said ? (...given: Given) => Translated<Said> : { [Key in keyof T]: Translated<T[Key]> }} Translated
 */
/** @typedef {Translated<typeof import("./en.js").en>} Texts */

/** They are there when `speak` has been waited for. @type {Texts} */
export const texts = Object.create(null);

/** @param {string} tag  of a language of `languages.js` */
export async function speak(tag) {
  const file = await import(new URL(`${tag}.js`, import.meta.url).href);
  Object.assign(texts, file[tag]);
}
