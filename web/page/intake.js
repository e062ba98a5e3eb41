/** From dropped files to pictures the trainer has read: sorts them into classes, keeps a report for each drop, reads one after another. */

import { askTwice } from "../shared/ask_twice.js";
import { classesOfFolders } from "./classes.js";
import { classFolders } from "./folders.js";
import { say } from "./announcer.js";
import { drop, move, put } from "./pictures.js";
import { changed, findClass, newId, state } from "./state.js";
import { enqueue, labelOf } from "./trainer.js";
import { en } from "./texts/en.js";

const PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|dib|tiff?|ico|avif|hei[cf]|jp2|j2k|svg)$/i;
const ARCHIVE = /\.(zip|tar|t?gz|7z|rar)$/i;

const queue = [];
let reading = false;

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
  pictures.forEach(({ file }, index) => add(file, classId ?? classes.get(folders[index]) ?? null, intake));
  state.drops.unshift(intake);
  changed();
  settle(intake);
  read();
}

/** Moves pictures to a class: read ones with their features; others join the line of those that are read. */
export function moveTo(pictures, classId) {
  const unsorted = pictures.filter((picture) => picture.classId === null && !picture.intake.open.has(picture)); // others are in line already
  move(pictures, classId);
  if (unsorted.length === 0) return;
  const intake = newIntake(0);
  intake.total = unsorted.length;
  for (const picture of unsorted) {
    picture.intake = intake;
    line(picture);
  }
  state.drops.unshift(intake);
  read();
}

/** Stops reading the pictures of one drop; those that were not read yet are taken out. */
export function cancel(intake) {
  const left = [...intake.open].filter((picture) => picture.reading === "waiting");
  intake.cancelled += left.length;
  drop(left);
  settle(intake);
}

export function waitingCount() {
  return [...state.pictures.values()].filter((picture) => picture.classId !== null && picture.reading !== "ready").length;
}

/** @returns {import("./state.js").Intake} */
function newIntake(leftOut) {
  return { id: newId(), since: performance.now(), took: null, total: 0, open: new Set(), loose: 0, perClass: new Map(), skipped: [], again: [], leftOut, cancelled: 0 };
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

function add(file, classId, intake) {
  const picture = put(file, file.name, classId, intake);
  intake.total += 1;
  line(picture);
}

function line(picture) {
  picture.intake.open.add(picture);
  queue.push(picture);
}

async function read() {
  if (reading) return;
  reading = true;
  while (queue.length > 0) await readOne(queue.shift());
  reading = false;
}

async function readOne(picture) {
  await enqueue(async (pt) => {
    if (!state.pictures.has(picture.id)) return;
    if (picture.classId === null) return readLoose(pt, picture);
    picture.reading = "reading";
    changed();
    const report = await pt.add([{ label: labelOf(picture.classId), file: picture.file }]);
    enter(picture, report);
  }).catch((error) => skip(picture, en.reasonOf(error)));
  settle(picture.intake);
}

/** A picture without a class is only looked at: whether it can be read. Learnt from it is when it has a class. */
async function readLoose(pt, picture) {
  await askTwice(() => pt.pixels(picture.file));
  if (picture.classId !== null) return void queue.push(picture); // it was given one meanwhile
  picture.intake.open.delete(picture);
  if (state.pictures.has(picture.id)) picture.intake.loose += 1;
}

function enter(picture, report) {
  const [refused] = report.skipped;
  if (refused) return skip(picture, en.reasonOf(refused));
  const { intake, classId } = picture;
  const { key, duplicate } = report.pictures[0];
  picture.reading = "ready";
  picture.key = duplicate ? null : key; // the trainer's copy belongs to the picture that was there before
  intake.open.delete(picture);
  if (!state.pictures.has(picture.id)) return; // taken out meanwhile
  if (duplicate) return again(picture);
  intake.perClass.set(classId, (intake.perClass.get(classId) ?? 0) + 1);
  state.edition += 1;
}

function again(picture) {
  picture.intake.again.push(picture.name);
  drop([picture]);
}

function skip(picture, reason) {
  picture.intake.skipped.push({ name: picture.name, reason });
  picture.reading = "waiting";
  drop([picture]);
}

export function addedCount(intake) {
  return [...intake.perClass.values()].reduce((sum, n) => sum + n, intake.loose);
}

function settle(intake) {
  if (intake.took === null && intake.open.size === 0) {
    intake.took = performance.now() - intake.since;
    say(en.report.line(addedCount(intake), intake));
  }
  changed();
}
