/** What a person does about pictures, which can be undone. What is done about a judged one makes it learn again. */

import { say } from "./announcer.js";
import { moveTo, putBack } from "./intake.js";
import { learnAgain } from "./learning.js";
import { drop } from "./pictures.js";
import { changed, findClass, state } from "./state.js";
import { texts } from "./texts/texts.js";

/** Moves it to a class that the model thinks of. */
export function moveThere(picture, classId) {
  const from = picture.classId;
  if (!state.pictures.has(picture.id) || from === classId) return; // a second click before the button was gone
  moveTo([picture], classId);
  note(texts.look.moved(picture.name, findClass(classId).name), () => {
    putWhere(picture, from);
    learnAgain();
  });
  learnAgain();
}

export function takeOut(picture) {
  if (!state.pictures.has(picture.id)) return;
  const from = picture.classId;
  drop([picture]);
  note(texts.look.takenOut(picture.name), () => {
    putWhere(picture, from);
    learnAgain();
  });
  learnAgain();
}

/** Several, before it learns from what is left. */
export function takeOutAll(pictures) {
  const places = pictures.map((picture) => ({ picture, classId: picture.classId }));
  drop(pictures);
  note(texts.frames.takenOut(pictures.length), () => putBack(places.filter(({ picture }) => !state.pictures.has(picture.id))));
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

/** It may have been taken out meanwhile, and the class may be gone. */
function putWhere(picture, classId) {
  if (!state.pictures.has(picture.id)) putBack([{ picture, classId }]);
  else if (findClass(classId)) moveTo([picture], classId);
}
