/** Step 1: getting pictures in and sorting them, while the trainer loads. */

import { h, setText } from "../elements.js";
import { takeIn } from "../intake.js";
import { learn, whyNot } from "../learning.js";
import { lookThroughPicked } from "../listing.js";
import { isStale, isTrained, state } from "../state.js";
import { afterTraining, summary } from "../summary.js";
import { texts } from "../texts/texts.js";
import { balance } from "./balance.js";
import { button, nextBar, picker } from "./buttons.js";
import { example } from "./example.js";
import { hints } from "./hints.js";
import { loading } from "./loading.js";
import { reports } from "./reports.js";
import { rolls } from "./rolls.js";
import { tray } from "./tray.js";
import { undoPart } from "./undo.js";

export function collect(go) {
  const opening = openingPart();
  const more = morePart();
  const ready = example();
  const load = loading();
  const parts = [load, reports(), tray(), rolls(), balance(), hints()];
  const [, reportPart, trayPart, rollPart, balancePart] = parts;
  const hintPart = /** @type {ReturnType<typeof hints>} */ (parts.at(-1));
  const byHand = h("div", { class: "by-hand" }, h("h2", { class: "title" }, texts.opening.byHand), h("p", { class: "text" }, texts.opening.byHandText));
  const [undo, next] = [undoPart(), nextBar()];
  const foot = h("div", { class: "screen__foot" }, undo.node, next.node);
  const node = h("div", { class: "screen" }, opening.node, more, load.node, reportPart.node, trayPart.node, ready.node, h("div", { class: "rolls-box" }, byHand, rollPart.node), balancePart.node, hintPart.node, foot);
  return {
    node,
    render() {
      const empty = state.pictures.size + state.drops.length + state.listings.size === 0;
      opening.render(empty);
      more.hidden = empty;
      ready.render(empty);
      byHand.hidden = !empty;
      for (const part of parts) part.render();
      undo.render();
      next.node.hidden = state.pictures.size === 0;
      next.render({ ...nextStep(go), link: hintPart.link() });
    },
  };
}

/** Large as long as there is nothing; then only its heading is left, for those who hear the page. */
function openingPart() {
  const title = h("h1", { class: "opening__title", tabindex: "-1" }, texts.opening.title);
  const ways = choosers("button--next");
  const [first] = ways.querySelectorAll("button");
  const drop = h("div", { class: "opening__drop drop" },
    h("p", { class: "drop__title" }, texts.opening.drop), h("p", { class: "drop__text" }, texts.opening.dropText), ways);
  const promise = h("p", { class: "opening__promise" }, texts.opening.promise);
  const node = h("section", { class: "opening" }, title, drop, promise);
  return {
    node,
    render(empty) {
      if (!empty && drop.contains(document.activeElement)) title.focus({ preventScroll: true }); // the button goes
      node.classList.toggle("is-over-with", !empty);
      title.classList.toggle("hidden", !empty);
      title.classList.toggle("opening__title", empty);
      setText(title, empty ? texts.opening.title : texts.steps.names.collect);
      drop.hidden = promise.hidden = !empty;
      first.classList.toggle("button--next", state.load.phase !== "failed"); // then the next thing to do is to load the rest
    },
  };
}

function morePart() {
  return h("section", { class: "drop drop--s drop--line" }, h("p", { class: "drop__title" }, texts.opening.more), choosers("button--s"));
}

function choosers(kind) {
  const small = kind === "button--s" ? kind : "";
  const take = (files) => lookThroughPicked(files, takeIn);
  return h("p", { class: "buttons" },
    picker(button(texts.opening.choose, () => {}, { kind, after: kind === "button--next" ? "arrow" : null }), take),
    picker(button(texts.opening.chooseFolder, () => {}, { kind: small }), take, { folder: true }));
}

function nextStep(go) {
  const { bold, text } = summary();
  const why = busy() ?? whyNot();
  if (isTrained() && !isStale()) return { bold, ...afterTraining(go) };
  const begin = () => { go("train"); learn(); };
  return { bold, text: isStale() ? texts.train.stale : text, label: isTrained() ? texts.train.again : texts.train.begin, act: begin, why };
}

function busy() {
  return ["running", "stopping"].includes(state.training.phase) ? texts.train.progress : null;
}
