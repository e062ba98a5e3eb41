/** On the step Take: the project to go on with, and what was learnt alone. Made when they are asked for. */

import { say } from "../announcer.js";
import { h, icon, setAttribute, setText } from "../elements.js";
import { hasPhoto } from "../pictures.js";
import { changed, state } from "../state.js";
import { fileStem, save } from "../taking.js";
import { texts } from "../texts/texts.js";
import { button } from "../views/buttons.js";
import { detailsOf } from "../views/faults.js";
import { deltaBlob, projectBlob } from "./saving.js";

export function continueItem() {
  const check = h("input", { type: "checkbox", checked: true });
  const label = h("label", { class: "check" }, check, h("span", {}, texts.work.withPhotos));
  check.addEventListener("change", changed);
  const make = async () => {
    const { blob, left } = await projectBlob(check.checked);
    return { blob, note: left > 0 ? texts.work.photosLeft(left) : "" };
  };
  const part = item({ title: texts.work.go, text: texts.work.goText, label: texts.work.goSave, ending: "pagetrain", make, beside: label });
  return {
    node: part.node,
    render() {
      label.hidden = ![...state.pictures.values()].some(hasPhoto);
      part.render();
    },
  };
}

export function shareItem() {
  const make = async () => ({ blob: await deltaBlob(), note: "" });
  return item({ title: texts.work.share, text: texts.work.shareText, label: texts.work.shareSave, ending: "delta", make, beside: null });
}

function item({ title, text, label, ending, make, beside }) {
  const file = h("p", { class: "edge" });
  const told = h("p", { class: "note" });
  const details = detailsOf();
  const fault = h("div", { class: "take-item__fault", role: "alert" });
  let made = null;
  let isMaking = false;
  const act = button(label, async () => {
    if (isMaking) return say(file.textContent);
    isMaking = true;
    fault.replaceChildren();
    setText(told, "");
    render();
    try {
      const { blob, note } = await make();
      made = blob.size;
      const name = `${fileStem()}.${ending}`;
      save(blob, name);
      setText(told, texts.take.saved(name));
      say([texts.take.saved(name), note].filter(Boolean).join(" "));
      if (note) fault.replaceChildren(h("p", { class: "note" }, note));
    } catch (error) {
      console.error(error);
      details.render(error);
      fault.replaceChildren(h("p", { class: "note" }, icon("alert"), texts.work.notSaved), details.node);
    }
    isMaking = false;
    changed();
  }, { after: "drop" });
  const node = h("article", { class: "take-item" }, h("h2", { class: "title" }, title), h("p", { class: "text" }, text), file, h("p", { class: "buttons" }, act, beside), told, fault);

  function render() {
    const name = `${fileStem()}.${ending}`;
    setText(file, isMaking ? texts.take.file(name, null) : made === null ? name : texts.take.file(name, made));
    setAttribute(act, "aria-disabled", isMaking ? "true" : null);
  }

  return { node, render };
}
