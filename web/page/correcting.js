/** What the person says a tried picture is: it goes to that class, as pictures do that come in, and it learns again. */

import { say } from "./announcer.js";
import { removeClass } from "./classes.js";
import { takeOne } from "./intake.js";
import { isLearning, learnAgain } from "./learning.js";
import { forget, note } from "./looking.js";
import { drop } from "./pictures.js";
import { changed, findClass, picturesOf, state, subscribe } from "./state.js";
import { texts } from "./texts/texts.js";

/** Tries whose picture is still to be read. @type {Set<import("./state.js").Try>} */
const open = new Set();

/** `isNew`: the class was made for it, and goes with it again. @param {import("./state.js").Try} result */
export function correct(result, classId, isNew) {
  const picture = takeOne(result.file, classId);
  const change = note(texts.try.given(result.name, findClass(classId).name), () => takeBack(result, classId, isNew));
  result.added = { picture, intake: picture.intake, change };
  open.add(result);
  if (isLearning()) learnAgain(); // it gives way, so that the picture is read at once
  changed();
}

function takeBack(result, classId, isNew) {
  const { picture } = result.added;
  result.added = null;
  if (state.pictures.has(picture.id)) drop([picture]);
  if (isNew && findClass(classId) && picturesOf(classId).length === 0) removeClass(classId);
  learnAgain();
}

/**
 * What became of it: "reading"; "in"; "there" if the class had it already; "refused"; "none" if it was not given, or is out again.
 * @param {import("./state.js").Try} result
 */
export function standingOf({ added }) {
  if (!added) return "none";
  const { picture, intake } = added;
  if (state.pictures.has(picture.id)) return picture.reading === "ready" ? "in" : "reading";
  if (intake.again.length > 0) return "there";
  return intake.skipped.length > 0 ? "refused" : "none";
}

/** Another class that has the same picture, or null. @param {import("./state.js").Picture} picture */
export function otherHolder({ id, key, classId }) {
  for (const other of state.pictures.values()) if (key && other.id !== id && other.key === key && other.classId !== classId) return findClass(other.classId) ?? null;
  return null;
}

/** Once it is read: it is learnt, or the person hears why not. */
function arrive(result) {
  const standing = standingOf(result);
  if (standing === "in") return learnAgain();
  if (!result.added) return; // it was taken back meanwhile
  const { picture, intake, change } = result.added;
  forget(change);
  if (standing === "there") say(texts.try.there(result.name, findClass(picture.classId)?.name ?? texts.unsorted.title));
  if (standing === "refused") say(texts.try.refused(result.name, intake.skipped[0].reason));
}

subscribe(() => {
  for (const result of open) {
    if (standingOf(result) === "reading") continue;
    open.delete(result);
    arrive(result);
  }
});
