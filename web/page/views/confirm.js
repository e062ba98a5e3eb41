/** The one question the page asks: before a class goes with its pictures. */

import { h } from "../elements.js";
import { en } from "../texts/en.js";
import { button } from "./buttons.js";

/** Resolves to true when the person says so; closing the dialog in any other way is a no. */
export function confirmRemoval(name, pictures) {
  const words = en.classes;
  const yes = button(words.removeYes, () => dialog.close("yes"));
  const no = button(words.removeNo, () => dialog.close("no"), { kind: "button--next" });
  const dialog = h("dialog", { class: "sheet sheet--s", "aria-labelledby": "h-confirm" },
    h("h2", { class: "title title--s", id: "h-confirm" }, words.removeTitle(name, pictures)),
    h("p", { class: "text" }, words.removeText),
    h("p", { class: "buttons" }, no, yes));
  document.body.append(dialog);
  dialog.showModal();
  no.focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  }, { once: true }));
}
