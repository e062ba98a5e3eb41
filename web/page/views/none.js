/** The slider of "none of these", and what it would have done on the person's own pictures. */

import { say } from "../announcer.js";
import { h, setAttribute, setText } from "../elements.js";
import { ENOUGH, outcome } from "../judged/none_below.js";
import { chooseNone, followLearnt, sendNone } from "../none.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";

export function nonePart() {
  const label = h("label", { for: "none" });
  const slider = h("input", { class: "slider", id: "none", type: "range", min: "0", max: "99", step: "1", "aria-describedby": "none-note" });
  const note = h("p", { class: "note", id: "none-note" });
  const rule = h("p", { class: "note" });
  const learnt = h("button", { class: "link", type: "button", onclick: () => { followLearnt(); slider.focus(); } });
  const off = h("button", { class: "link", type: "button", onclick: () => { choose(0); slider.focus(); } }, texts.look.noneTurnOff);
  const node = h("section", { class: "look__part", "aria-labelledby": "h-none" },
    h("h2", { class: "title title--s", id: "h-none" }, label), slider, note, rule, h("p", { class: "buttons" }, learnt, off));
  slider.addEventListener("input", () => chooseNone(valueOf(slider)));
  slider.addEventListener("change", () => choose(slider.valueAsNumber));

  /** Zero is off. The trainer hears of it when the hand is off the slider. */
  function choose(percentage) {
    slider.value = String(percentage);
    chooseNone(valueOf(slider));
    sendNone();
    say(`${wordsOf(state.none.below)}. ${whatItDoes(state.training.judgement)}`);
  }

  /** @param {import("../state.js").Judgement} judgement null: no picture was judged */
  function render(judgement) {
    const { below, learnt: value, chosen } = state.none;
    const whole = String(Math.round((below ?? 0) * 100));
    if (slider.value !== whole) slider.value = whole;
    setAttribute(slider, "aria-valuetext", below === null ? texts.look.noneOffShort : wordsOf(below));
    setText(label, wordsOf(below));
    setText(note, whatItDoes(judgement));
    setText(rule, chosen ? texts.look.noneChosen : value === null ? texts.look.noneTooFew(ENOUGH) : texts.look.noneRule);
    learnt.hidden = value === null || !chosen;
    if (value !== null) setText(learnt, texts.look.noneLearnt(value));
    off.hidden = below === null;
  }

  return { node, render };
}

function whatItDoes(judgement) {
  return judgement ? texts.look.noneOutcome(outcome(judgement.verdicts, state.none.below)) : texts.look.noneUnknown;
}

function valueOf(slider) {
  return slider.valueAsNumber === 0 ? null : slider.valueAsNumber / 100;
}

function wordsOf(below) {
  return below === null ? texts.look.noneOff : texts.look.none(below);
}
