/** The five steps, as links to the page's own parts. */

import { h, hidden, icon, place, setAttribute } from "../elements.js";
import { isTrained, state } from "../state.js";
import { texts } from "../texts/texts.js";

export const STEPS = /** @type {const} */ (["collect", "train", "look", "try", "take"]);

export function steps() {
  const links = STEPS.map((id, index) => link(id, index + 1));
  const node = h("nav", { class: "steps", "aria-label": texts.steps.label }, h("ol", { class: "steps__list" }, links.map(({ node: a }) => h("li", {}, a))));
  return { node, render: () => links.forEach((one) => one.render()) };
}

function link(id, number) {
  const mark = h("span", { class: "step__n" });
  const parts = { number: String(number), check: icon("check"), done: hidden(texts.steps.done) };
  const node = h("a", { class: "step", href: `#${id}` }, mark, h("span", {}, texts.steps.names[id]));
  return {
    node,
    render() {
      setAttribute(node, "aria-current", state.step === id && "step");
      const done = state.step === "done" || (isDone(id) && state.step !== id);
      if (mark.dataset.done === String(done)) return;
      mark.dataset.done = String(done);
      place(mark, done ? [parts.check, parts.done] : [document.createTextNode(parts.number)]);
    },
  };
}

function isDone(id) {
  if (id === "try") return state.tries.results.some((result) => result.answers);
  if (id === "take") return state.take.taken !== null;
  if (id === "look") return isTrained() && state.look.seen;
  return isTrained();
}
