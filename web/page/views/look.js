/** Step 3: how well it did, what it mixes up, which pictures to check, and when it should say nothing. */

import { h, place, setText } from "../elements.js";
import { expected } from "../judged/interval.js";
import { unjudgedNames, whyNotJudged } from "../judgement.js";
import { isLearning, learnAgain, whyNot } from "../learning.js";
import { isStale, isTrained, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { nextBar } from "./buttons.js";
import { byClass } from "./by_class.js";
import { matrix, WIDE } from "./matrix.js";
import { mixupList } from "./mixup_list.js";
import { nonePart } from "./none.js";
import { opened } from "./opened.js";
import { proofs } from "./proofs.js";
import { undoPart } from "./undo.js";
import { untrained } from "./untrained.js";

/** From so many classes on, a list of mix-ups stands in the place of their matrix. */
const LISTED = 20;

export function look(go) {
  const before = untrained();
  const head = headPart();
  const [table, list, cell, rates, checks, none] = [matrix(), mixupList(), opened(), byClass(), proofs(), nonePart()];
  const mixups = h("section", { class: "look__part look__mixups", "aria-labelledby": "h-mixups" }, h("h2", { class: "title title--s", id: "h-mixups" }, texts.look.mixups), table.node, list.node, cell.node);
  const judged = h("div", { class: "look__side" }, mixups, rates.node);
  const grid = h("div", { class: "look" }, judged, h("div", { class: "look__side" }, checks.node, none.node));
  const [undo, next] = [undoPart(), nextBar()];
  const foot = h("div", { class: "screen__foot" }, undo.node, next.node);
  const node = h("div", { class: "screen" });
  return {
    node,
    render() {
      place(node, isTrained() ? [head.node, grid, foot] : [before.node]);
      before.render();
      if (!isTrained()) return;
      const { judgement } = state.training;
      state.look.seen = true;
      head.render();
      judged.hidden = checks.node.hidden = judgement === null;
      if (judgement) renderJudged(judgement);
      none.render(judgement);
      undo.render();
      next.render(nextStep(go));
    },
  };

  function renderJudged(judgement) {
    const listed = judgement.classes.length >= LISTED;
    grid.classList.toggle("look--wide", !listed && judgement.classes.length >= WIDE);
    table.node.hidden = listed;
    list.node.hidden = !listed;
    for (const part of [listed ? list : table, cell, checks]) part.render(judgement);
    rates.render(judgement, listed);
  }
}

function headPart() {
  const right = h("span");
  const soft = h("span", { class: "display__soft" });
  const text = h("p", { class: "text" });
  const again = h("p", { class: "text" });
  const stale = h("p", { class: "note note--stale" }, texts.train.stale);
  const node = h("header", { class: "head" },
    h("h1", { class: "display", tabindex: "-1" }, right, " ", soft), again, text, stale);
  return {
    node,
    render() {
      const { result, judgement } = state.training;
      setText(right, result.given ? texts.work.given : texts.train.of(result.right, result.all));
      setText(soft, result.given ? "" : texts.train.right);
      again.hidden = !result.before || isStale();
      if (!again.hidden) setText(again, texts.look.again(result, result.before));
      setText(text, judgement ? honesty(judgement, result) : result.given ? texts.work.givenText : `${texts.train.onLearnt} ${whyNotJudged()}`);
      stale.hidden = !isStale() || isLearning();
    },
  };
}

function honesty(judgement, { right, all }) {
  const { verdicts, asked } = judgement;
  const unjudged = unjudgedNames(judgement);
  return [texts.look.judged(verdicts.length, asked), texts.look.expect(...expected(right, all), all), unjudged.length > 0 && texts.look.unjudged(unjudged)].filter(Boolean).join(" ");
}

function nextStep(go) {
  if (isLearning()) return { bold: texts.look.learning, text: texts.look.learningText, label: texts.try.begin, act: () => go("try") };
  if (isStale()) return { bold: texts.train.result(state.training.result), text: texts.train.stale, label: texts.train.again, act: learnAgain, why: whyNot() };
  const { result } = state.training;
  return { bold: result.given ? texts.work.given : texts.look.trained(result.took), text: texts.try.beginText, label: texts.try.begin, act: () => go("try") };
}
