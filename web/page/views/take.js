/** Step 5: the receipt of the model, saving the model, the project and what was learnt, and the code that runs it. */

import { h, place, setAttribute } from "../elements.js";
import { continueItem, shareItem } from "../project/take_items.js";
import { checkModel } from "../receipt/checking.js";
import { usePart } from "../receipt/use.js";
import { receiptPart } from "../receipt/view.js";
import { snippetPart } from "../snippets/view.js";
import { isStale, isTrained, state, changed } from "../state.js";
import { defaultStem, modelName } from "../taking.js";
import { texts } from "../texts/texts.js";
import { untrained } from "./untrained.js";

/** @param {(step: string) => void} go */
export function take(go) {
  const before = untrained();
  const head = headPart();
  const receipt = receiptPart();
  const model = usePart(go);
  const [project, share] = [continueItem(), shareItem()];
  const run = snippetPart();
  const grid = h("section", { class: "take" }, h("div", { class: "take__head" }, receipt.node, head.node), h("div", { class: "take__list" }, model.node, project.node, share.node));
  const title = h("h1", { class: "hidden", tabindex: "-1" }, texts.take.title);
  const node = h("div", { class: "screen" });
  return {
    node,
    render() {
      place(node, isTrained() ? [title, grid, run.node] : [before.node]);
      before.render();
      if (!isTrained()) return;
      checkModel();
      const { check } = state.take;
      for (const part of [receipt, model]) part.render(check, modelName());
      for (const part of [head, project, share]) part.render();
      run.render(check.phase === "same" ? { ...check.outcome, file: modelName() } : null);
    },
  };
}

function headPart() {
  const stale = h("p", { class: "note note--stale" }, texts.train.stale);
  const input = h("input", { class: "field__box", type: "text", autocomplete: "off", spellcheck: "false", dir: "auto", maxlength: "80" });
  input.addEventListener("input", () => { state.take.name = input.value; changed(); });
  const node = h("div", {}, stale, h("label", { class: "field field--stack" }, h("span", { class: "field__label" }, texts.take.name), input));
  return {
    node,
    render() {
      stale.hidden = !isStale();
      setAttribute(input, "placeholder", defaultStem());
      if (document.activeElement !== input && input.value !== state.take.name) input.value = state.take.name; // another project
    },
  };
}
