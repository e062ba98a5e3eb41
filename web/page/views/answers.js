/** The buttons of a hint, or of a group of pictures in it. */

import { h, place } from "../elements.js";
import { en } from "../texts/en.js";
import { button } from "./buttons.js";

/** After a click the focus goes to what replaces them: the way back, or the answers again. */
export function answers() {
  const node = h("p", { class: "hint__answers" });
  let drawn = "";
  let now;
  let follow = false;
  const act = (index) => () => {
    if (now.done) now.done.undo();
    else now.answers[index].act();
    follow = true;
  };
  return {
    node,
    render(one) {
      now = one;
      const labels = one.done ? [en.advice.undo] : one.answers.map(({ label }) => label);
      const looks = one.done ? ["plain"] : one.answers.map(({ plain }) => (plain ? "plain" : ""));
      node.hidden = labels.length === 0;
      if (drawn === JSON.stringify([labels, looks])) return;
      drawn = JSON.stringify([labels, looks]);
      place(node, labels.map((label, index) => (looks[index] ? h("button", { class: "link", type: "button", onclick: act(index) }, label) : button(label, act(index), { kind: "button--s" }))));
      if (follow) node.querySelector("button")?.focus({ preventScroll: true });
      follow = false;
    },
  };
}
