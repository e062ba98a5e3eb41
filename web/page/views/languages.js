/** The page's languages, each under its own name. Another one comes with the page loaded anew: by then it may be sealed, and nothing can be fetched. */

import { h } from "../elements.js";
import { isAllKept } from "../keeping/keeper.js";
import { LANGUAGES, REMEMBERED } from "../texts/languages.js";
import { texts } from "../texts/texts.js";
import { confirmReload } from "./confirm.js";

export function languages() {
  const now = document.documentElement.lang;
  const one = ({ tag, name }) => h("button", { class: "link", type: "button", lang: tag, "aria-pressed": String(tag === now), onclick: () => tag !== now && speakIt(tag) }, name);
  return h("p", { class: "foot__languages", role: "group", "aria-label": texts.page.language }, LANGUAGES.map(one));
}

async function speakIt(tag) {
  if (!(await isAllKept()) && !(await confirmReload())) return;
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  if (!remember(tag)) address.searchParams.set("lang", tag);
  history.replaceState(history.state, "", address);
  location.reload();
}

/** Storage may be forbidden; then the address says it. */
function remember(tag) {
  try {
    localStorage.setItem(REMEMBERED, tag);
    return true;
  } catch {
    return false;
  }
}
