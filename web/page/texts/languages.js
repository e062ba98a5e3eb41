/** What the page speaks, and what it speaks to whom. */

/** Where the one that was chosen is noted, in the browser's local storage. */
export const REMEMBERED = "pagetrain.language";

/** Each language by its tag, with the name that it has for itself. */
export const LANGUAGES = [
  { tag: "en", name: "English", direction: "ltr" },
  { tag: "de", name: "Deutsch", direction: "ltr" },
];

/**
 * The first that is wished for and spoken here; English where there is none.
 * @param {(string | null)[]} wishes  language tags, as "de-AT"; null where nothing is wished
 */
export function languageOf(wishes) {
  const tags = wishes.map((tag) => tag?.toLowerCase().split("-")[0]);
  const wished = tags.find((tag) => LANGUAGES.some((one) => one.tag === tag)) ?? "en";
  return LANGUAGES.find(({ tag }) => tag === wished);
}
