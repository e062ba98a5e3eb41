/** What a person does about pictures, which can be undone. What is done about a judged one makes it learn again. */

import { say } from "./announcer.js";
import { moveTo, wayBack } from "./intake.js";
import { learnAgain } from "./learning.js";
import { drop } from "./pictures.js";
import { changed, findClass, state } from "./state.js";
import { texts } from "./texts/texts.js";

/** Moves it to a class that the model thinks of. */
export function moveThere(picture, classId) {
  if (!state.pictures.has(picture.id) || picture.classId === classId) return; // a second click before the button was gone
  const back = wayBack([picture]);
  moveTo([picture], classId);
  note(texts.look.moved(picture.name, findClass(classId).name), () => {
    back();
    learnAgain();
  });
  learnAgain();
}

export function takeOut(picture) {
  if (!state.pictures.has(picture.id)) return;
  const back = wayBack([picture]);
  drop([picture]);
  note(texts.look.takenOut(picture.name), () => {
    back();
    learnAgain();
  });
  learnAgain();
}

/** Several, before it learns from what is left. */
export function takeOutAll(pictures) {
  const back = wayBack(pictures);
  drop(pictures);
  note(texts.frames.takenOut(pictures.length), back);
}

/** The person is right, not the model: it is not asked about again as long as it stays in its class. */
export function confirm(picture) {
  picture.confirmed = picture.classId;
  note(texts.look.confirmed(picture.name), () => { picture.confirmed = null; });
  changed();
}

/** @param {import("./state.js").Change} [change] */
export function undo(change = state.look.changes.at(-1)) {
  if (!state.look.changes.includes(change)) return;
  forget(change);
  change.undo();
  say(texts.look.undone(change.text));
  changed();
}

/** It can no longer be undone. @param {import("./state.js").Change} change */
export function forget(change) {
  state.look.changes = state.look.changes.filter((one) => one !== change);
}

/** Shows the pictures of a cell, by its classes; null: of none. @param {{ truth: number, said: number }} cell */
export function open(cell) {
  state.look.open = cell;
  changed();
}

/** Says what was done, and keeps its undoing. */
export function note(text, undoIt) {
  const change = { text, undo: undoIt };
  state.look.changes.push(change);
  say(text);
  return change;
}
