/** The buttons of a hint, or of a group of pictures in it. */

import { h, place, setProperty } from "../elements.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

/**
 * After a click the focus goes to what replaces the buttons: the way back, or the buttons again. The row keeps the height it had, so that what
 * is below stays under the pointer. With `says` what was done is said in the row itself.
 */
export function answers({ says = false } = {}) {
  const node = h("div", { class: "hint__answers" });
  let drawn = "";
  let now;
  let isActing = false;

  function act(index) {
    if (isActing) return; // a second click before the buttons were gone
    setProperty(node, "--held", `${node.offsetHeight}px`);
    isActing = true;
    if (now.done) now.done.undo();
    else now.answers[index].act();
  }

  function undo() {
    return [says && h("p", { class: "note" }, now.done.text), plain(texts.advice.undo, () => act(0))].filter(Boolean);
  }

  function choice({ label, plain: isPlain }, index) {
    return isPlain ? plain(label, () => act(index)) : button(label, () => act(index), { kind: "button--s" });
  }

  return {
    node,
    render(one) {
      now = one;
      const acted = isActing;
      isActing = false;
      const next = JSON.stringify(one.done ? [one.done.text] : one.answers.map(({ label, plain: isPlain }) => ({ label, isPlain })));
      if (next === drawn) return;
      drawn = next;
      place(node, one.done ? undo() : one.answers.map(choice));
      if (acted) node.querySelector("button")?.focus({ preventScroll: true });
    },
  };
}

function plain(text, onclick) {
  return h("button", { class: "link", type: "button", onclick }, text);
}
