/** Step 5: the receipt of the model, saving the model and the checkpoint, and the code that runs it. */

import { say } from "../announcer.js";
import { h, icon, place, setAttribute, setText } from "../elements.js";
import { checkModel } from "../receipt/checking.js";
import { usePart } from "../receipt/use.js";
import { receiptPart } from "../receipt/view.js";
import { snippetPart } from "../snippets/view.js";
import { isStale, isTrained, state, changed } from "../state.js";
import { fileStem, modelName, prepareAgain, prepareFiles, save } from "../taking.js";
import { en } from "../texts/en.js";
import { button } from "./buttons.js";
import { detailsOf } from "./faults.js";
import { untrained } from "./untrained.js";

export function take() {
  const before = untrained();
  const head = headPart();
  const receipt = receiptPart();
  const model = usePart();
  const checkpoint = item(en.take.go, en.take.goText, en.take.goSave, () => [state.take.files?.checkpoint, `${fileStem()}.ckpt`]);
  const run = snippetPart();
  const fault = faultPart();
  const grid = h("section", { class: "take" }, h("div", { class: "take__head" }, receipt.node, head.node), h("div", { class: "take__list" }, model.node, checkpoint.node));
  const title = h("h1", { class: "hidden", tabindex: "-1" }, en.take.title);
  const node = h("div", { class: "screen" });
  return {
    node,
    render() {
      place(node, isTrained() ? [title, fault.node, grid, run.node] : [before]);
      if (!isTrained()) return;
      prepareFiles();
      checkModel();
      const { check } = state.take;
      for (const part of [receipt, model]) part.render(check, modelName());
      fault.render(state.take.error);
      for (const part of [head, checkpoint]) part.render();
      run.render(check.phase === "same" ? { ...check.outcome, file: modelName() } : null);
    },
  };
}

function headPart() {
  const stale = h("p", { class: "note note--stale" }, en.train.stale);
  const input = h("input", { class: "field__box", type: "text", autocomplete: "off", spellcheck: "false", placeholder: en.take.defaultStem, dir: "auto", maxlength: "80" });
  input.addEventListener("input", () => { state.take.name = input.value; changed(); });
  const node = h("div", {}, stale, h("label", { class: "field field--stack" }, h("span", { class: "field__label" }, en.take.name), input));
  return { node, render() { stale.hidden = !isStale(); } };
}

function item(title, text, label, fileOf) {
  const file = h("p", { class: "edge" });
  const act = button(label, () => {
    const [blob, name] = fileOf();
    if (!blob) return say(file.textContent);
    save(blob, name);
    say(en.take.saved(name));
  }, { after: "drop" });
  const node = h("article", { class: "take-item" }, h("h2", { class: "title" }, title), h("p", { class: "text" }, text), file, h("p", { class: "buttons" }, act));
  return {
    node,
    render() {
      const [blob, name] = fileOf();
      setText(file, en.take.file(name, blob?.size ?? null));
      setAttribute(act, "aria-disabled", blob ? null : "true");
    },
  };
}

function faultPart() {
  const details = detailsOf();
  const again = button(en.take.retry, prepareAgain, { after: "retry" });
  const mark = icon("alert");
  mark.classList.add("fault__icon");
  const node = h("section", { class: "fault", role: "alert" }, mark, h("div", { class: "fault__text" }, h("h2", { class: "title" }, en.take.failed), h("p", { class: "buttons" }, again), details.node));
  return {
    node,
    render(error) {
      node.hidden = error === null;
      if (error) details.render(error);
    },
  };
}
