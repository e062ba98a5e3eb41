/** What stands in Look, Try and Take as long as nothing was learnt: the way to the step that is missing. */

import { h, icon, setAttribute, setText } from "../elements.js";
import { whyNot } from "../learning.js";
import { texts } from "../texts/texts.js";

export function untrained() {
  const text = h("p", { class: "text" });
  const label = h("span");
  const link = h("a", { class: "button button--next" }, label, icon("arrow"));
  const node = h("section", { class: "untrained" }, h("h1", { class: "display", tabindex: "-1" }, texts.try.untrained), text, h("p", { class: "buttons" }, link));
  return {
    node,
    render() {
      const canTrain = whyNot() === null;
      setText(text, canTrain ? texts.try.untrainedReady : texts.try.untrainedText);
      setText(label, canTrain ? texts.try.toTrain : texts.try.toCollect);
      setAttribute(link, "href", canTrain ? "#train" : "#collect");
    },
  };
}
