/** "None of these": the value below which it gives no answer, learnt after each training or chosen by the person. */

import { learnNoneBelow } from "./judged/none_below.js";
import { changed, state } from "./state.js";
import { tell } from "./trainer.js";

/** After a training. What the person chose stays. @param {import("./state.js").Judgement} judgement */
export function learnNone(judgement) {
  state.none.learnt = judgement && learnNoneBelow(judgement.verdicts);
  if (!state.none.chosen) state.none.below = state.none.learnt;
  sendNone();
}

/** @param {number | null} below null: it always answers */
export function chooseNone(below) {
  Object.assign(state.none, { below, chosen: true });
  changed();
}

/** Back to what is learnt, now and after each training. */
export function followLearnt() {
  Object.assign(state.none, { below: state.none.learnt, chosen: false });
  sendNone();
  changed();
}

/** Tells the trainer, which writes it into the model's file. */
export function sendNone() {
  const { below } = state.none;
  tell((pt) => pt.setNoneBelow(below));
}
