/** Step 5: saving the model and the checkpoint, and the Python that runs it. */

import { say } from "../announcer.js";
import { h, icon, place, setAttribute, setText } from "../elements.js";
import { isStale, isTrained, state, changed } from "../state.js";
import { fileStem, prepareAgain, prepareFiles, save } from "../taking.js";
import { en } from "../texts/en.js";
import { button, copyButton } from "./buttons.js";
import { detailsOf } from "./faults.js";
import { untrained } from "./untrained.js";

export function take() {
  const before = untrained();
  const head = headPart();
  const model = item(en.take.use, en.take.useText, en.take.useSave, "button--next", () => [state.take.files?.model, `${fileStem()}.onnx`]);
  const checkpoint = item(en.take.go, en.take.goText, en.take.goSave, "", () => [state.take.files?.checkpoint, `${fileStem()}.ckpt`]);
  const run = snippetPart();
  const fault = faultPart();
  const grid = h("section", { class: "take" }, head.node, h("div", { class: "take__list" }, model.node, checkpoint.node));
  const node = h("div", { class: "screen" });
  return {
    node,
    render() {
      place(node, isTrained() ? [fault.node, grid, run.node] : [before]);
      if (!isTrained()) return;
      prepareFiles();
      fault.render(state.take.error);
      for (const part of [head, model, checkpoint, run]) part.render();
    },
  };
}

function headPart() {
  const soft = h("span", { class: "display__soft" });
  const text = h("p", { class: "text" });
  const stale = h("p", { class: "note note--stale" }, en.train.stale);
  const input = h("input", { class: "field__box", type: "text", autocomplete: "off", spellcheck: "false", placeholder: en.take.defaultStem, dir: "auto", maxlength: "80" });
  input.addEventListener("input", () => { state.take.name = input.value; changed(); });
  const node = h("header", { class: "take__head" },
    h("h1", { class: "display", tabindex: "-1" }, en.take.display, " ", soft), text, stale,
    h("label", { class: "field field--stack" }, h("span", { class: "field__label" }, en.take.name), input));
  return {
    node,
    render() {
      const { result } = state.training;
      setText(soft, en.take.displaySoft(state.classes.length));
      setText(text, `${en.train.result(result)} ${en.take.text}`);
      stale.hidden = !isStale();
    },
  };
}

function item(title, text, label, kind, fileOf) {
  const file = h("p", { class: "edge" });
  const act = button(label, () => {
    const [blob, name] = fileOf();
    if (!blob) return say(file.textContent);
    save(blob, name);
    say(en.take.saved(name));
  }, { kind, after: "drop" });
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

function snippetPart() {
  const code = h("code");
  const node = h("section", { class: "snippet", "aria-labelledby": "h-snippet" },
    h("div", { class: "snippet__head" }, h("h2", { class: "title title--s", id: "h-snippet" }, en.take.run), copyButton(() => code.textContent)),
    h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": en.take.code }, code), h("p", { class: "note" }, en.take.runNote));
  return { node, render: () => setText(code, en.take.snippet(`${fileStem()}.onnx`)) };
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
