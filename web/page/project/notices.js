/** What becomes of a file of work, on every step. */

import { h, icon, named, place, setText } from "../elements.js";
import { changed, state } from "../state.js";
import { texts } from "../texts/texts.js";

export function workNotices() {
  const name = named("", { class: "clipped" });
  const opening = h("section", { class: "notice" }, icon("wait"), h("p", { class: "notice__text" }, texts.work.opens, " ", name));
  const words = h("p");
  const refusedName = named("", { class: "clipped" });
  const close = (key) => () => { state.work[key] = null; changed(); };
  const refused = h("section", { class: "notice", role: "alert" }, icon("alert"),
    h("div", { class: "notice__text" }, h("h2", { class: "notice__title" }, texts.work.refused, " ", refusedName), words),
    h("button", { class: "button button--s", type: "button", onclick: close("refused") }, texts.page.close));
  const text = h("p", { class: "notice__text" });
  const seen = h("section", { class: "notice" }, icon("check"), text, h("button", { class: "button button--s", type: "button", onclick: close("seen") }, texts.page.close));
  const node = h("div");
  return {
    node,
    render() {
      const { work } = state;
      node.hidden = work.opening === null && work.refused === null && work.seen === null;
      if (work.opening !== null) setText(name, work.opening);
      if (work.refused) {
        setText(refusedName, work.refused.name);
        setText(words, texts.work.reasonOf(work.refused.error));
      }
      setText(text, work.seen ?? "");
      place(node, [work.opening !== null && opening, work.refused && refused, work.seen && seen].filter(Boolean));
    },
  };
}
