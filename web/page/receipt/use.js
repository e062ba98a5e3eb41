/** "Use it": the model as a file, offered once it was checked; and what stands in its place where it was not, or does not answer as the page does. */

import { say } from "../announcer.js";
import { h, keyed, named, place, setAttribute, setText } from "../elements.js";
import { changed, state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { save } from "../taking.js";
import { texts } from "../texts/texts.js";
import { button, copyButton } from "../views/buttons.js";
import { detailsOf } from "../views/faults.js";
import { printOf } from "../views/frames.js";
import { checkAgain, isChecking, stopCheck } from "./checking.js";
import { reportOf } from "./report.js";
import { savedLine } from "./saved_line.js";

const MOST_SHOWN = 12; // of the pictures that get another answer

/** `render(check, fileName)`: see checking.js. @param {(step: string) => void} go */
export function usePart(go) {
  const told = savedLine();
  const onSave = ({ check: { file }, fileName }) => {
    save(file, fileName);
    told.note(file, fileName);
  };
  const onTake = (now) => {
    onSave(now);
    state.take.taken = { outcome: now.check.outcome, fileName: now.fileName };
    go("done");
  };
  const offer = offerPart(onTake);
  const held = heldPart(onSave);
  const node = h("article", { class: "take-item" });
  return {
    node,
    render(check, fileName) {
      const part = isChecking() || check.phase === "same" ? offer : held;
      part.render(check, fileName);
      told.render(check.file, fileName);
      place(node, [...part.nodes, told.node]);
    },
  };
}

function offerPart(onSave) {
  const file = h("p", { class: "edge" });
  const stop = h("button", { class: "link", type: "button", onclick: stopCheck }, texts.receipt.stop);
  let now;
  const act = button(texts.take.useSave, () => (now.check.phase === "same" ? onSave(now) : say(file.textContent)), { kind: "button--next", after: "drop" });
  const choice = choicePart();
  return {
    nodes: [h("h2", { class: "title" }, texts.take.use), h("p", { class: "text" }, texts.take.useText), choice.node, file, h("p", { class: "buttons" }, act, stop)],
    render(check, fileName) {
      now = { check, fileName };
      choice.render();
      setText(file, isChecking() ? texts.receipt.status(check) : texts.take.file(fileName, check.file.size));
      setAttribute(act, "aria-disabled", isChecking() ? "true" : null);
      if (!isChecking() && document.activeElement === stop) act.focus(); // before it goes
      stop.hidden = !isChecking();
    },
  };
}

/** What the model takes: numbers that were prepared, or a picture as it is. */
function choicePart() {
  const options = [false, true].map((pictureInput) => {
    const input = h("input", { type: "radio", name: "model-input", onchange: () => { state.take.pictureInput = pictureInput; changed(); } });
    const words = texts.receipt.inputs[pictureInput ? "picture" : "tensor"];
    return { input, pictureInput, node: h("label", { class: "choice" }, input, h("span", {}, h("b", {}, words.name), " ", h("span", { class: "note" }, words.text))) };
  });
  const node = h("fieldset", { class: "choices" }, h("legend", { class: "field__label" }, texts.receipt.takes), options.map((one) => one.node));
  return { node, render: () => options.forEach(({ input, pictureInput }) => { input.checked = pictureInput === state.take.pictureInput; }) };
}

/** Held back: why, which pictures, and what can be done. */
function heldPart(onSave) {
  let now;
  const title = h("h2", { class: "title" });
  const text = h("p", { class: "text" });
  const strip = h("ul", { class: "strip strip--captions near__strip", "aria-label": texts.receipt.differing });
  const fill = keyed(strip, ({ picture }) => picture.id, captioned);
  const details = detailsOf();
  const again = h("span", {});
  const anyway = h("button", { class: "link", type: "button", onclick: () => onSave(now) });
  const copy = copyButton(() => reportOf(now.check), texts.receipt.copyDetails);
  const make = button(again, checkAgain, { kind: "button--next", after: "retry" });
  return {
    nodes: [title, text, strip, h("p", { class: "buttons" }, make, copy, anyway), details.node],
    render(check, fileName) {
      now = { check, fileName };
      const words = texts.receipt.held[check.phase];
      setText(title, words.title(check));
      setText(text, words.text(check));
      setText(again, words.again);
      setText(anyway, words.anyway);
      anyway.hidden = check.file === null;
      const differing = check.outcome?.differing ?? [];
      strip.hidden = copy.hidden = differing.length === 0;
      fill(differing.slice(0, MOST_SHOWN).map((one) => ({ ...one, picture: check.pictures[one.index] })));
      details.node.hidden = check.error === null;
      if (check.error) details.render(check.error);
    },
  };
}

/** A picture, with what the page says of it and what the file says. */
function captioned({ picture, here, there }) {
  const frame = h("span", { class: "frame" });
  const [first, second] = [named(here[0].label, { class: "near__class clipped" }), named(texts.receipt.now(there[0].label), { class: "near__class clipped" })];
  let drawn;
  return {
    node: h("li", {}, frame, first, second),
    leave: () => forgetThumbnail(picture),
    render() {
      wantThumbnail(picture);
      if (picture.thumb !== drawn || !frame.firstChild) place(frame, [printOf(picture, picture.name)]);
      drawn = picture.thumb;
    },
  };
}
