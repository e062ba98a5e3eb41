/** What stands in Try and Take as long as nothing was learnt. */

import { h, icon } from "../elements.js";
import { en } from "../texts/en.js";

export function untrained() {
  return h("section", { class: "untrained" },
    h("h1", { class: "display", tabindex: "-1" }, en.try.untrained),
    h("p", { class: "text" }, en.try.untrainedText),
    h("p", { class: "buttons" }, h("a", { class: "button button--next", href: "#collect" }, en.try.toCollect, icon("arrow"))));
}
