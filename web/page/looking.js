/** What a person does about a judged picture. Each change makes it learn again, and can be undone. */

import { say } from "./announcer.js";
import { moveTo, putBack } from "./intake.js";
import { learnAgain } from "./learning.js";
import { drop } from "./pictures.js";
import { changed, findClass, state } from "./state.js";
import { en } from "./texts/en.js";

/** Moves it to the class that the model named. */
export function moveThere(picture, classId) {
  const from = picture.classId;
  moveTo([picture], classId);
  note(en.look.moved(picture.name, findClass(classId).name), () => {
    putWhere(picture, from);
    learnAgain();
  });
  learnAgain();
}

export function takeOut(picture) {
  const from = picture.classId;
  drop([picture]);
  note(en.look.takenOut(picture.name), () => {
    putWhere(picture, from);
    learnAgain();
  });
  learnAgain();
}

/** The person is right, not the model: it is not asked about again as long as it stays in its class. */
export function confirm(picture) {
  picture.confirmed = picture.classId;
  note(en.look.confirmed(picture.name), () => { picture.confirmed = null; });
  changed();
}

export function undo() {
  const change = state.look.changes.pop();
  change?.undo();
  say(en.look.undone(change.text));
  changed();
}

/** Shows the pictures of a cell, by its classes; null: of none. @param {{ truth: number, said: number }} cell */
export function open(cell) {
  state.look.open = cell;
  changed();
}

function note(text, undoIt) {
  state.look.changes.push({ text, undo: undoIt });
  say(text);
}

/** It may have been taken out meanwhile, and the class may be gone. */
function putWhere(picture, classId) {
  if (!state.pictures.has(picture.id)) putBack([{ picture, classId }]);
  else if (findClass(classId)) moveTo([picture], classId);
}
