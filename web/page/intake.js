/** What comes in, sorted into classes, and into the line of those that are read. */

import { newIntake, settle } from "./account.js";
import { classesOfFolders } from "./classes.js";
import { classFolders } from "./folders.js";
import { kindOf } from "./kinds.js";
import { zipOf } from "./packed_file.js";
import { move, put } from "./pictures.js";
import { lineUp } from "./reading.js";
import { changed, findClass, state } from "./state.js";
import { texts } from "./texts/texts.js";

/**
 * Takes files in. With `target` all go to that class; else folders are classes and loose files wait in Unsorted.
 * @param {import("./drops.js").Taken} taken
 */
export function takeIn({ found, lost = [], leftOut, isBurst = false }, target = null) {
  const intake = newIntake(leftOut, isBurst);
  const classId = findClass(target) ? target : null; // it may be gone: folders take their time
  intake.skipped.push(...lost.map(({ name, zip, code }) => ({ name, zip, reason: texts.reasons[code] })));
  const pictures = found.filter((one) => accept(one, intake));
  const folders = classId === null ? classFolders(pictures.map(({ path }) => path)) : [];
  const before = new Set(state.classes.map(({ id }) => id));
  const classes = classesOfFolders([...new Set(folders.filter((folder) => folder !== null))]);
  intake.made = state.classes.filter(({ id }) => !before.has(id)).map(({ id, name }) => ({ id, name }));
  intake.total = pictures.length;
  state.drops.unshift(intake);
  lineUp(pictures.map((one, index) => put(one, classId ?? classes.get(folders[index]) ?? null, intake)));
  settle(intake);
}

/** One picture to a class, of which no report is made. @param {import("./state.js").AnyFile} file @returns {import("./state.js").Picture} */
export function takeOne(file, classId) {
  const intake = newIntake(0);
  intake.total = 1;
  const picture = put({ file, path: [] }, classId, intake);
  lineUp([picture]);
  changed();
  return picture;
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

/** Answers what puts these pictures back where they are now. */
export function wayBack(pictures) {
  const places = pictures.map((picture) => ({ picture, classId: picture.classId }));
  return () => {
    const here = places.filter(({ picture, classId }) => state.pictures.has(picture.id) && findClass(classId));
    for (const { picture, classId } of here) moveTo([picture], classId);
    putBack(places.filter(({ picture }) => !state.pictures.has(picture.id)));
  };
}

/**
 * Puts pictures that were taken out back to where they were, to be read anew; those whose class is gone wait in Unsorted. No report is made of it.
 * @param {{ picture: import("./state.js").Picture, classId: number }[]} places
 */
export function putBack(places) {
  const intake = newIntake(0);
  intake.total = places.length;
  for (const { picture, classId } of places) Object.assign(picture, { classId: findClass(classId) ? classId : null, intake, reading: "waiting", key: null });
  const all = [...state.pictures.values(), ...places.map(({ picture }) => picture)].sort((a, b) => a.id - b.id); // as they came
  state.pictures.clear();
  for (const picture of all) state.pictures.set(picture.id, picture);
  lineUp(places.map(({ picture }) => picture));
  changed();
}

/** What is no picture by its name and type is refused here, so that a folder of texts does not become a class. */
function accept({ file }, intake) {
  const code = refusal(file);
  if (code) intake.skipped.push({ name: file.name, zip: zipOf(file), reason: texts.reasons[code] });
  return !code;
}

/** A zip that comes here still packed lay in another one, or nothing here opens it. */
function refusal(file) {
  const kind = kindOf(file);
  if (kind === "picture") return null;
  if (kind === "work") return "work";
  return kind === "other" ? "not-a-picture" : "archive";
}
