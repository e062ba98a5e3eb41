/** What training will do, and what comes after it, said beside the button that begins that. */

import { counts, picturesOf, state } from "./state.js";
import { texts } from "./texts/texts.js";

/** @returns {{ bold: string, text: string }}  how much it learns from; what that costs, and what is particular about it */
export function summary() {
  const sorted = [...counts().values()].reduce((sum, n) => sum + n, 0);
  const loose = picturesOf(null).length;
  const text = [
    texts.train.costs(sorted * state.featureBytes),
    state.training.settings.classWeights === "balanced" && texts.train.weighted,
    loose > 0 && texts.train.unsorted(loose),
  ];
  return { bold: texts.train.ready(sorted, state.classes.length), text: text.filter(Boolean).join(" ") };
}

/** What comes after a training: to look at what it was tested on, where there is something. @param {(step: string) => void} go */
export function afterTraining(go) {
  if (state.training.judgement) return { text: texts.look.beginText, label: texts.look.begin, act: () => go("look") };
  return { text: texts.train.tryText, label: texts.try.begin, act: () => go("try") };
}
