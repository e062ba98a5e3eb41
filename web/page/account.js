/** The account of one drop: what became of each of its pictures. */

import { say } from "./announcer.js";
import { zipOf } from "./packed_file.js";
import { discard } from "./pictures.js";
import { changed, moved, newId, state } from "./state.js";
import { texts } from "./texts/texts.js";

/** Milliseconds between two sentences about how far a long drop has been read. */
const SAY_EVERY = 10_000;

/** @returns {import("./state.js").Intake} */
export function newIntake(leftOut, isBurst = false) {
  const since = performance.now();
  return { id: newId(), since, took: null, total: 0, open: new Set(), loose: 0, perClass: new Map(), skipped: [], again: [], leftOut, isBurst, cancelled: 0, made: [],
    stop: new AbortController(), saidAt: since };
}

export function addedCount(intake) {
  return [...intake.perClass.values()].reduce((sum, n) => sum + n, intake.loose);
}

export function doneCount(intake) {
  return intake.total - intake.open.size;
}

/** The trainer has read it. */
export function enter(picture, { key, duplicate }) {
  const { intake, classId } = picture;
  picture.reading = "ready";
  picture.key = duplicate ? null : key; // the trainer's copy belongs to the picture that was there before
  picture.readKey = picture.key;
  close(picture);
  if (!state.pictures.has(picture.id)) return; // taken out meanwhile
  if (duplicate) {
    intake.again.push(picture.name);
    discard(picture);
    return;
  }
  intake.perClass.set(classId, (intake.perClass.get(classId) ?? 0) + 1);
  state.edition += 1;
}

/** It can be read, and waits in Unsorted. */
export function enterLoose(picture) {
  close(picture);
  if (state.pictures.has(picture.id)) picture.intake.loose += 1;
}

export function skip(picture, reason) {
  if (state.pictures.has(picture.id)) picture.intake.skipped.push({ name: picture.name, zip: zipOf(picture.file), reason }); // else it was cancelled meanwhile
  close(picture);
  discard(picture);
}

/** Pictures that were not read, and will not be. */
export function giveUp(intake, pictures) {
  intake.cancelled += pictures.length;
  for (const picture of pictures) discard(picture);
}

/** The end, when nothing is open any more. */
export function settle(intake) {
  if (intake.took === null && intake.open.size === 0) {
    intake.took = performance.now() - intake.since;
    if (state.drops.includes(intake)) say(texts.report.line(addedCount(intake), intake)); // else it was put back, which was said already
  }
  changed();
}

function close(picture) {
  const { intake } = picture;
  intake.open.delete(picture);
  if (intake.open.size > 0 && performance.now() - intake.saidAt > SAY_EVERY) {
    intake.saidAt = performance.now();
    say(texts.report.reading(doneCount(intake), intake.total));
  }
  moved();
}
