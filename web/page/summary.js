/** What training will do, and what comes after it, said beside the button that begins that. */

import { counts, picturesOf, state } from "./state.js";
import { en } from "./texts/en.js";

/** @returns {{ bold: string, text: string }}  how much it learns from; what that costs, and what is particular about it */
export function summary() {
  const sorted = [...counts().values()].reduce((sum, n) => sum + n, 0);
  const loose = picturesOf(null).length;
  const text = [
    en.train.costs(sorted * state.featureBytes),
    state.training.settings.classWeights === "balanced" && en.train.weighted,
    loose > 0 && en.train.unsorted(loose),
  ];
  return { bold: en.train.ready(sorted, state.classes.length), text: text.filter(Boolean).join(" ") };
}

/** What comes after a training: to look at what it was tested on, where there is something. @param {(step: string) => void} go */
export function afterTraining(go) {
  if (state.training.judgement) return { text: en.look.beginText, label: en.look.begin, act: () => go("look") };
  return { text: en.train.tryText, label: en.try.begin, act: () => go("try") };
}
