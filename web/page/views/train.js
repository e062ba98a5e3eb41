/** Step 2: before, while and after it learns. */

import { h, icon, place, setAttribute, setProperty, setText } from "../elements.js";
import { unjudgedNames } from "../judgement.js";
import { isLearning, learn, rightOf, stopLearning, whatIsMissing, whyNot } from "../learning.js";
import { counts, isStale, isTrained, state } from "../state.js";
import { afterTraining, summary } from "../summary.js";
import { texts } from "../texts/texts.js";
import { advanced } from "./advanced.js";
import { button, nextBar } from "./buttons.js";
import { chart, chartKey } from "./chart.js";
import { bath } from "./bath.js";
import { detailsOf } from "./faults.js";

/** Rounds that a chart begins with, at most. */
const FIRST_ROUNDS = 25;

export function train(go) {
  const head = headPart();
  const charts = chartsPart();
  const tray = bath();
  const settings = advanced();
  const fault = faultPart();
  const next = nextBar();
  const node = h("div", { class: "screen" }, fault.node,
    h("section", { class: "run", "aria-labelledby": "h-run" }, h("div", { class: "run__head" }, head.node, settings.node), charts.node), tray.node, next.node);
  return {
    node,
    render() {
      const { training } = state;
      fault.render(training.error);
      head.render();
      settings.node.hidden = isLearning();
      settings.render();
      charts.render();
      tray.render();
      next.node.hidden = isLearning();
      next.render(nextStep(go));
    },
  };
}

function headPart() {
  const right = h("span");
  const soft = h("span", { class: "display__soft" });
  const title = h("h1", { class: "display", id: "h-run", tabindex: "-1" }, right, " ", soft);
  const text = h("p", { class: "text" });
  const part = h("span", { class: "wedge__part" });
  const wedge = h("div", { class: "wedge", role: "progressbar", "aria-label": texts.train.progress, "aria-valuemin": "0", "aria-valuemax": "100" }, part);
  const stopText = h("span");
  const stop = h("button", { class: "button", type: "button", onclick: stopLearning }, icon("stop"), stopText);
  const note = h("p", { class: "note" });
  const goOn = h("p", { class: "buttons" }, button(texts.train.goOn, () => learn(), { kind: "button--s" }), h("span", { class: "note" }, texts.train.goOnText));
  const toCollect = h("p", { class: "buttons" }, h("a", { class: "button button--next", href: "#collect" }, texts.try.toCollect, icon("arrow")));
  const running = [wedge, h("p", { class: "buttons" }, stop), note];
  const node = h("div", { class: "run__words" }, title, text);
  return {
    node,
    render() {
      const words = isLearning() ? wordsWhile() : isTrained() ? wordsAfter() : wordsBefore();
      setText(right, words.right);
      setText(soft, words.soft);
      setText(text, words.text);
      place(node, [title, text, ...(isLearning() ? running : isTrained() && !whyNot() ? [goOn] : whatIsMissing() ? [toCollect] : [])]);
      renderWedge(wedge, part);
      const stopping = state.training.phase === "stopping";
      setText(stopText, stopping ? texts.train.stopping : texts.train.stop);
      setAttribute(stop, "aria-disabled", stopping ? "true" : null);
      setText(note, texts.train.stopText);
    },
  };
}

function wordsBefore() {
  const why = whyNot();
  if (why) return { right: texts.train.notYet, soft: "", text: why };
  const perClass = counts();
  const n = [...perClass.values()].reduce((a, b) => a + b, 0);
  return { right: texts.train.idleTitle, soft: texts.train.idleSoft(n, state.classes.length), text: texts.train.idleText };
}

function wordsWhile() {
  const { progress, preparing, curves } = state.training;
  if (preparing) return { right: texts.train.start, soft: "", text: texts.train.preparing(preparing) };
  if (!progress) return { right: texts.train.start, soft: "", text: "" };
  const judged = curves.at(-1);
  const text = texts.train.status(progress) + (progress.secondsLeft > 0 ? texts.train.left(progress.secondsLeft) : "");
  if (!judged) return { right: texts.train.start, soft: "", text };
  const { right, all } = rightOf(judged);
  return { right: texts.train.of(right, all), soft: texts.train.soFar, text };
}

function wordsAfter() {
  const { result, judgement } = state.training;
  if (result.given) return { right: texts.work.given, soft: "", text: isStale() ? texts.train.stale : texts.work.givenText };
  const where = !result.aside ? texts.train.onLearnt : judgement && result.folds > 0 ? texts.look.judged(result.all, judgement.asked) : texts.train.onAside;
  const unjudged = judgement ? unjudgedNames(judgement) : [];
  const text = isStale() ? texts.train.stale : [where, unjudged.length > 0 && texts.look.unjudged(unjudged), texts.train.facts(result)].filter(Boolean).join(" ");
  return { right: texts.train.of(result.right, result.all), soft: texts.train.right, text };
}

function renderWedge(wedge, part) {
  const { progress, preparing } = state.training;
  const share = preparing ? preparing.done / preparing.total : progress ? progress.step / progress.steps : 0;
  setProperty(part, "--v", share.toFixed(3));
  setAttribute(wedge, "aria-valuenow", Math.round(share * 100));
  setAttribute(wedge, "aria-valuetext", preparing ? texts.train.preparing(preparing) : progress ? texts.train.status(progress) : texts.train.start);
}

function chartsPart() {
  const accuracy = chart(texts.train.charts.accuracy);
  const loss = chart(texts.train.charts.loss);
  const key = chartKey();
  const node = h("div", { class: "run__charts" }, accuracy.node, loss.node, key);
  return {
    node,
    render() {
      const { curves, progress, result } = state.training;
      node.hidden = !isLearning() && !isTrained();
      if (node.hidden) return;
      const rounds = isLearning() ? roomFor(curves.length, progress?.epochs ?? 1) : curves.length;
      const best = isLearning() ? undefined : curves.find(({ epoch }) => epoch === result?.best);
      const last = best ?? curves.at(-1);
      const aside = curves.filter((one) => one.validationCount > 0);
      key.hidden = aside.length === 0;
      const losses = curves.flatMap((one) => [one.loss, one.validationLoss ?? 0]);
      const top = niceTop(Math.max(0.1, ...losses));
      accuracy.render({ value: last ? countOf(last) : "", limit: 1, limitText: texts.train.charts.all, rounds, best: best?.epoch, format: texts.words.percent,
        series: { aside: aside.map((one) => one.validationAccuracy), learning: curves.map((one) => one.accuracy) } });
      loss.render({ value: last ? texts.words.loss(last.validationLoss ?? last.loss) : "", limit: top, limitText: String(top), rounds, best: best?.epoch, format: texts.words.loss,
        series: { aside: aside.map((one) => one.validationLoss), learning: curves.map((one) => one.loss) } });
    },
  };
}

/** As many rounds as the charts have room for: all, or of very many twice as many each time it is used up, so that what was is not a stroke at the edge. */
function roomFor(done, epochs) {
  let room = FIRST_ROUNDS;
  while (room < done) room *= 2;
  return Math.max(done, Math.min(room, epochs));
}

function countOf(round) {
  const { right, all } = rightOf(round);
  return texts.train.of(right, all);
}

/** The smallest of 1, 1.5, 2, 3, 5 times a power of ten that is not below `value`. */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 5, 10].find((factor) => factor * power >= value * 0.999);
  return Number((step * power).toPrecision(2));
}

function faultPart() {
  const text = h("p", { class: "text" });
  const details = detailsOf();
  const node = h("section", { class: "fault", role: "alert" }, icon("retry"),
    h("div", { class: "fault__text" }, h("h2", { class: "title" }, texts.train.failed.title), text, details.node));
  node.firstChild.classList.add("fault__icon");
  return {
    node,
    render(error) {
      node.hidden = error === null;
      if (!error) return;
      setText(text, error.kind === "TrainingDivergedError" ? texts.train.failed.diverged : texts.train.failed.text);
      details.render(error);
    },
  };
}

function nextStep(go) {
  const { result } = state.training;
  if (isTrained() && !isStale()) return { bold: texts.train.result(result), ...afterTraining(go) };
  const { bold, text } = summary();
  return { bold, text: isStale() ? texts.train.stale : text, label: isTrained() ? texts.train.again : texts.train.begin, act: learn, why: whyNot() };
}
