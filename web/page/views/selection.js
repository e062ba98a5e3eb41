/** What can be done with the selected frames of one strip: move them, take them out. The keyboard's way of dragging. */

import { addClass } from "../classes.js";
import { say } from "../announcer.js";
import { h, setText } from "../elements.js";
import { moveTo } from "../intake.js";
import { takeOutAll } from "../looking.js";
import { changed, findClass, picturesOf, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";
import { NEW, renderOptions } from "./class_options.js";
import { selectedOf } from "./frames.js";

/** Classes that a number key moves to (frames.js). */
const KEYS = 9;

/** Escape clears the selection wherever the focus is, but in a field or a dialog it means that; and a camera that is on is turned off first. */
export function listenForEscape() {
  document.addEventListener("keydown", (event) => {
    const at = /** @type {Element} */ (event.target);
    if (event.key !== "Escape" || event.defaultPrevented || state.step !== "collect" || state.selected.size === 0) return;
    if (state.camera.use !== null || at.closest("input, select, dialog")) return;
    const frame = /** @type {HTMLElement} */ (at.closest(".tray__move") && at.closest(".roll__film")?.querySelector(".frame[tabindex='0']"));
    frame?.focus(); // what had the focus goes with the selection
    state.selected.clear();
    changed();
  });
}

/** `classId` null: of Unsorted. `focus()`: where to go when the selection is gone. */
export function selection(classId, focus) {
  const label = h("span", { class: "field__label" });
  const select = h("select", { class: "field__box" });
  const takeOut = h("button", { class: "link", type: "button", onclick: () => remove() });
  const all = h("button", { class: "link", type: "button", onclick: () => toggleAll() });
  const keys = h("p", { class: "note tray__keys" });
  const node = h("div", { class: "tray__move" },
    h("label", { class: "field" }, label, select), button(texts.frames.move, () => move(), { kind: "button--s" }), takeOut, all, keys);

  function move() {
    const chosen = selectedOf(classId);
    const target = select.value === NEW ? addClass() : findClass(Number(select.value));
    moveTo(chosen, target.id);
    say(texts.frames.moved(chosen.length, target.name));
    focus();
  }

  function remove() {
    takeOutAll(selectedOf(classId));
    focus();
  }

  function toggleAll() {
    const pictures = picturesOf(classId);
    const every = pictures.every(({ id }) => state.selected.has(id));
    for (const { id } of pictures) every ? state.selected.delete(id) : state.selected.add(id);
    if (every) focus();
    changed();
  }

  return {
    node,
    render(pictures) {
      const chosen = selectedOf(classId);
      node.hidden = chosen.length === 0;
      if (node.hidden) return;
      setText(label, texts.frames.moveTo(chosen.length));
      setText(takeOut, texts.frames.takeOut(chosen.length));
      setText(all, chosen.length === pictures.length ? texts.frames.selectNone : texts.frames.selectAll);
      setText(keys, texts.frames.keys(state.classes.slice(0, KEYS).map(({ name }) => name)));
      keys.hidden = state.classes.length === 0;
      renderOptions(select, state.classes.filter((one) => one.id !== classId), { textOf: (name) => name, newText: texts.frames.newClass });
    },
  };
}
