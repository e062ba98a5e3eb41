/** Unsorted: loose pictures wait here for a class. They are not trained on. */

import { h, setText } from "../elements.js";
import { picturesOf } from "../state.js";
import { texts } from "../texts/texts.js";
import { strip } from "./frames.js";
import { selection } from "./selection.js";

export function tray() {
  const number = h("b");
  const word = h("span");
  const title = h("h2", { class: "roll__name", id: "h-tray", tabindex: "-1" }, texts.unsorted.title);
  const leave = () => (picturesOf(null).length > 0 ? title : /** @type {HTMLElement} */ (document.querySelector("main h1"))).focus(); // an empty tray goes
  const frames = strip({ name: () => texts.unsorted.title, leave });
  const chosen = selection(null, leave);
  const node = h("section", { class: "tray", "aria-labelledby": "h-tray" },
    h("div", { class: "roll__label" }, title, h("p", { class: "roll__count" }, number, " ", word), h("p", { class: "note" }, texts.unsorted.text)),
    h("div", { class: "roll__film" }, frames.node, chosen.node));
  return {
    node,
    render() {
      const pictures = picturesOf(null);
      node.hidden = pictures.length === 0;
      setText(number, String(pictures.length));
      setText(word, texts.classes.pictures(pictures.length));
      frames.render(pictures);
      chosen.render(pictures);
    },
  };
}
