/** What stands in Try and Take as long as nothing was learnt. */

import { h, icon } from "../elements.js";
import { texts } from "../texts/texts.js";

export function untrained() {
  return h("section", { class: "untrained" },
    h("h1", { class: "display", tabindex: "-1" }, texts.try.untrained),
    h("p", { class: "text" }, texts.try.untrainedText),
    h("p", { class: "buttons" }, h("a", { class: "button button--next", href: "#collect" }, texts.try.toCollect, icon("arrow"))));
}
