/** What a click on a hint does, each with its way back. */

import { say } from "./announcer.js";
import { wayBack } from "./intake.js";
import { drop, move } from "./pictures.js";
import { changed, findClass, state } from "./state.js";
import { texts } from "./texts/texts.js";

/**
 * A hint, or a group of pictures in it.
 * @typedef {{ key: string, hint?: string, pictures?: import("./state.js").Picture[] }} Place
 */

/** The place says what was done, with the way back, until the person goes on to other things. @param {Place} place */
function settle({ key, hint, pictures }, text, back) {
  const undo = () => {
    state.check.done.delete(key);
    back();
    say(texts.advice.undone);
    changed();
  };
  state.check.done.set(key, { key, hint, pictures, text, undo });
  say(text);
  changed();
}

let newest;

/** What was answered is forgotten once the person goes on: to another step, or with more pictures. */
export function forgetAnswers() {
  if (state.step === "collect" && state.drops[0] === newest) return;
  newest = state.drops[0];
  state.check.done.clear();
}

/** Not asked again. @param {Place} place @param {string[]} keys  of hints or of groups */
export function leave(place, keys = [place.key]) {
  for (const key of keys) state.check.left.add(key);
  settle(place, texts.advice.left, () => keys.forEach((key) => state.check.left.delete(key)));
}

/** Class weights are a setting of training: whoever else shows it shows it as it is. */
export function weigh(isBalanced, text) {
  if (isBalanced) state.training.settings.classWeights = "balanced";
  else delete state.training.settings.classWeights;
  say(text);
  changed();
}

/** Of each group the largest file stays: the others are mostly made from it. @param {Place} place */
export function keepOne(place, groups) {
  const spare = groups.flatMap(({ pictures }) => pictures.filter((picture) => picture !== largest(pictures)));
  takeOut(place, spare);
}

function largest(pictures) {
  return pictures.reduce((a, b) => (b.file.size > a.file.size ? b : a));
}

/** @param {Place} place */
export function takeOut(place, pictures = place.pictures) {
  const back = wayBack(pictures);
  drop(pictures);
  settle(place, texts.frames.takenOut(pictures.length), back);
}

/** All pictures of a group are of one of its classes. @param {Place} place */
export function decide(place, classId) {
  const others = place.pictures.filter((picture) => picture.classId !== classId);
  const back = wayBack(others);
  move(others, classId);
  settle(place, texts.advice.decided(findClass(classId).name), back);
}
