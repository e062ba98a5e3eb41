/** On the step Take: the project to go on with, and what was learnt alone. Made when they are asked for. */

import { h, setText } from "../elements.js";
import { hasPhoto } from "../pictures.js";
import { changed, state } from "../state.js";
import { fileStem } from "../taking.js";
import { texts } from "../texts/texts.js";
import { saveDelta, saveProject } from "./save_part.js";

export function continueItem() {
  const check = h("input", { type: "checkbox", checked: true, onchange: changed });
  const label = h("label", { class: "check" }, check, h("span", {}, texts.work.withPhotos));
  const part = item({ title: texts.work.go, text: texts.work.goText, beside: label, saving: saveProject({ label: texts.work.goSave, stem: fileStem, withPhotos: () => check.checked }) });
  return {
    node: part.node,
    render() {
      label.hidden = ![...state.pictures.values()].some(hasPhoto);
      part.render();
    },
  };
}

export function shareItem() {
  return item({ title: texts.work.share, text: texts.work.shareText, beside: null, saving: saveDelta({ label: texts.work.shareSave, stem: fileStem }) });
}

function item({ title, text, beside, saving }) {
  const file = h("p", { class: "edge" });
  const node = h("article", { class: "take-item" },
    h("h2", { class: "title" }, title), h("p", { class: "text" }, text), file, h("p", { class: "buttons" }, saving.act, beside), saving.told, saving.fault);
  return {
    node,
    render() {
      setText(file, saving.words());
      saving.render();
    },
  };
}
