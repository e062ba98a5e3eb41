/** The questions the page asks: before a class, a project or all that is here goes with its pictures. */

import { h } from "../elements.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

/** Resolves to true when the person says so; closing the dialog in any other way is a no. */
export function confirmRemoval(name, pictures) {
  const words = texts.classes;
  return question({ title: words.removeTitle(name, pictures), text: words.removeText, yes: words.removeYes, no: words.removeNo });
}

/** Before a project takes the place of what is here. */
export function confirmOpening(name, pictures) {
  const work = texts.work;
  return question({ title: work.openTitle(name, pictures), text: work.openText, yes: work.openYes, no: work.openNo });
}

/** The same for a project. */
export function confirmDeletion(name, pictures) {
  const kept = texts.keep;
  return question({ title: kept.deleteTitle(name, pictures), text: kept.deleteText, yes: kept.deleteYes, no: kept.cancel });
}

/** The same for all of them. */
export function confirmErasure() {
  const erase = texts.seal.erase;
  return question({ title: erase.title, text: erase.text, yes: erase.yes, no: erase.no });
}

/** Before the page is loaded anew while something would be lost by it. */
export function confirmReload() {
  const reload = texts.page.reload;
  return question({ title: reload.title, text: reload.text, yes: reload.yes, no: reload.no });
}

function question({ title, text, yes, no }) {
  const doIt = button(yes, () => dialog.close("yes"));
  const leave = button(no, () => dialog.close("no"), { kind: "button--next" });
  const dialog = sheet(title, h("p", { class: "text" }, text), h("p", { class: "buttons" }, leave, doIt));
  leave.focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

/** What a project shall be called; null when the person leaves it. @returns {Promise<string | null>} */
export function askName(name) {
  const kept = texts.keep;
  const input = h("input", { class: "field__box", type: "text", autocomplete: "off", spellcheck: "false", dir: "auto", maxlength: "80" });
  input.value = name;
  const done = h("button", { class: "button button--next", type: "submit" }, kept.renameYes);
  const form = h("form", { method: "dialog" },
    h("label", { class: "field field--stack" }, h("span", { class: "field__label" }, kept.renameLabel), input), h("p", { class: "text" }, kept.renameText),
    h("p", { class: "buttons" }, done, button(kept.cancel, () => dialog.close(""))));
  form.addEventListener("submit", (event) => { event.preventDefault(); dialog.close("yes"); }); // the policy lets no form act
  const dialog = sheet(kept.renameTitle, form);
  input.select();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? input.value : null), { once: true }));
}

/** An open dialog, which goes when it is closed. */
function sheet(title, ...content) {
  const dialog = h("dialog", { class: "sheet sheet--s", "aria-labelledby": "h-confirm" }, h("h2", { class: "title title--s", id: "h-confirm" }, title), ...content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}
