/** The texts of the page in the language in use. The others are not loaded. */

/** They are there when `speak` has been waited for. @type {typeof import("./en.js").en} */
export const texts = Object.create(null);

/** @param {string} tag  of a language of `languages.js` */
export async function speak(tag) {
  const file = await import(new URL(`${tag}.js`, import.meta.url).href);
  Object.assign(texts, file[tag]);
}
