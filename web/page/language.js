/** Chooses the page's language: a script of its own, before the others, so that the texts are on their way while the rest of the page still is. */

import { languageOf, REMEMBERED } from "./texts/languages.js";

/** That of the address (`?lang=de`), else the one that was chosen here, else the browser's. */
const { tag, direction } = languageOf([new URLSearchParams(location.search).get("lang"), remembered(), ...navigator.languages]);

Object.assign(document.documentElement, { lang: tag, dir: direction });
document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: new URL(`texts/${tag}.js`, import.meta.url).href }));

/** Storage may be forbidden; then the browser's language is asked each time. */
function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}
