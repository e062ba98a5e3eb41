/** The last change to a picture, and its undoing. */

import { h, setText } from "../elements.js";
import { undo } from "../looking.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";

/** The keys that undo elsewhere do it here, but in a field or a dialog they mean that. */
export function listenForUndo() {
  document.addEventListener("keydown", (event) => {
    const at = /** @type {Element} */ (event.target);
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || !["collect", "look"].includes(state.step)) return;
    if (at.closest("input, select, textarea, dialog") || state.look.changes.length === 0) return;
    event.preventDefault();
    undo();
  });
}

export function undoPart() {
  const text = h("span", { class: "undo__text clipped" });
  const node = h("p", { class: "undo" }, text, h("button", { class: "link", type: "button", onclick: takeBack }, texts.look.undo));

  /** The button goes with the last change. */
  function takeBack() {
    undo();
    if (state.look.changes.length === 0) document.querySelector("h1")?.focus({ preventScroll: true });
  }

  return {
    node,
    render() {
      const last = state.look.changes.at(-1);
      node.hidden = last === undefined;
      if (last) setText(text, last.text);
    },
  };
}
