/** What comes in, sorted into classes, and into the line of those that are read. */

import { newIntake, settle } from "./account.js";
import { classesOfFolders } from "./classes.js";
import { classFolders } from "./folders.js";
import { move, put } from "./pictures.js";
import { lineUp } from "./reading.js";
import { changed, findClass, state } from "./state.js";
import { en } from "./texts/en.js";

const PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|dib|tiff?|ico|avif|hei[cf]|jp2|j2k|svg)$/i;
const ARCHIVE = /\.(zip|tar|t?gz|7z|rar)$/i;

/**
 * Takes files in. With `target` all go to that class; else folders are classes and loose files wait in Unsorted.
 * @param {import("./drops.js").Taken} taken
 */
export function takeIn({ found, lost = [], leftOut }, target = null) {
  const intake = newIntake(leftOut);
  const classId = findClass(target) ? target : null; // it may be gone: folders take their time
  intake.skipped.push(...lost.map(({ name, isFolder }) => ({ name, reason: isFolder ? en.reasons["closed-folder"] : en.reasons.unreadable })));
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
  if (code) intake.skipped.push({ name: file.name, reason: en.reasons[code] });
  return !code;
}

function refusal(file) {
  if (file.type.startsWith("image/") || PICTURE.test(file.name)) return null;
  if (ARCHIVE.test(file.name)) return "archive";
  const bare = file.type === "" && !/.\.[^.]+$/.test(file.name);
  return bare ? null : "not-a-picture";
}
