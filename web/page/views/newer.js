/** Offers a newer page, quietly: this one goes on as it is, as long as the person likes. */

import { h, icon, setText } from "../elements.js";
import { isUnsaved, underWay, wantNewer } from "../offline/newer.js";
import { changed, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

export function newer() {
  const words = texts.newer;
  const text = h("p");
  const act = button(words.now, () => wantNewer(state.offline.newer === "offered"));
  const later = h("button", { class: "link", type: "button", onclick: () => { state.offline.newer = null; changed(); } }, words.later);
  const node = h("section", { class: "notice", "aria-labelledby": "h-newer" }, icon("retry"),
    h("div", { class: "notice__text", role: "status" }, h("h2", { class: "notice__title", id: "h-newer" }, words.title), text), act, later);
  return {
    node,
    render() {
      const { newer } = state.offline;
      node.hidden = newer === null || newer === "taken";
      if (node.hidden) return;
      const isWanted = newer === "wanted";
      setText(text, isWanted ? words.waits[underWay() ?? "reading"] : isUnsaved() ? words.textUnsaved : words.text);
      setText(act.firstChild, isWanted ? words.stay : words.now);
      later.hidden = isWanted;
    },
  };
}
