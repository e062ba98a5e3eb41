/** What comes in, sorted into classes, and into the line of those that are read. */

import { newIntake, settle } from "./account.js";
import { classesOfFolders } from "./classes.js";
import { classFolders } from "./folders.js";
import { kindOf } from "./kinds.js";
import { zipOf } from "./packed_file.js";
import { move, put } from "./pictures.js";
import { lineUp } from "./reading.js";
import { changed, findClass, state } from "./state.js";
import { en } from "./texts/en.js";

/**
 * Takes files in. With `target` all go to that class; else folders are classes and loose files wait in Unsorted.
 * @param {import("./drops.js").Taken} taken
 */
export function takeIn({ found, lost = [], leftOut }, target = null) {
  const intake = newIntake(leftOut);
  const classId = findClass(target) ? target : null; // it may be gone: folders take their time
  intake.skipped.push(...lost.map(({ name, zip, code }) => ({ name, zip, reason: en.reasons[code] })));
  const pictures = found.filter((one) => accept(one, intake));
  const folders = classId === null ? classFolders(pictures.map(({ path }) => path)) : [];
  const classes = classesOfFolders([...new Set(folders.filter((folder) => folder !== null))]);
  intake.total = pictures.length;
  state.drops.unshift(intake);
  lineUp(pictures.map(({ file }, index) => put(file, classId ?? classes.get(folders[index]) ?? null, intake)));
  settle(intake);
}

/** Moves pictures to a class: read ones with their features; others join the line of those that are read. */
export function moveTo(pictures, classId) {
  const unsorted = pictures.filter((picture) => picture.classId === null && !picture.intake.open.has(picture)); // others are in line already
  move(pictures, classId);
  if (unsorted.length === 0) return;
  const intake = newIntake(0);
  intake.total = unsorted.length;
  for (const picture of unsorted) picture.intake = intake;
  state.drops.unshift(intake);
  lineUp(unsorted);
  changed();
}

/** Puts a picture that was taken out back to where it was, to be read anew. No report is made of it. */
export function putBack(picture, classId) {
  const intake = newIntake(0);
  intake.total = 1;
  Object.assign(picture, { classId, intake, reading: "waiting", key: null });
  state.pictures.set(picture.id, picture);
  lineUp([picture]);
  changed();
}

/** What is no picture by its name and type is refused here, so that a folder of texts does not become a class. */
function accept({ file }, intake) {
  const code = refusal(file);
  if (code) intake.skipped.push({ name: file.name, zip: zipOf(file), reason: en.reasons[code] });
  return !code;
}

/** A zip that comes here still packed lay in another one, or nothing here opens it. */
function refusal(file) {
  const kind = kindOf(file);
  if (kind === "picture") return null;
  return kind === "other" ? "not-a-picture" : "archive";
}
