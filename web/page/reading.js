/** The line of pictures that wait to be read. The trainer gets some at a time, so that what a person asks for meanwhile comes between. */

import { askTwice } from "../shared/ask_twice.js";
import { enter, enterLoose, giveUp, settle, skip } from "./account.js";
import { removeEmpty } from "./classes.js";
import { opened, zipOf } from "./packed_file.js";
import { untell } from "./pictures.js";
import { moved, state } from "./state.js";
import { enqueue, labelOf } from "./trainer.js";
import { texts } from "./texts/texts.js";

/** As long as the pictures of one turn may take, in milliseconds, and as many as they may be. */
const TURN = 400;
const MOST = 64;
/** As many bytes of zips as are unpacked at once, or one picture. */
const ROOM = 32e6;

/** @type {import("./state.js").Picture[]} */
let line = [];
let isReading = false;
let pace = 1;

export function lineUp(pictures) {
  for (const picture of pictures) {
    picture.intake.open.add(picture);
    line.push(picture);
  }
  read();
}

/** Stops reading the pictures of one drop; those that were not read yet are taken out, the one under way too. */
export function cancel(intake) {
  intake.stop.abort();
  line = line.filter((picture) => picture.intake !== intake);
  const open = [...intake.open];
  giveUp(intake, open);
  for (const picture of open) if (picture.reading !== "waiting") untell(picture);
  removeEmpty(intake.made);
  settle(intake);
}

/** Nobody waits for them any more: those in line are not read, and what comes of those under way is not looked at. */
export function letGo() {
  line = [];
}

export function waitingCount() {
  let count = 0;
  for (const picture of state.pictures.values()) if (picture.classId !== null && picture.reading !== "ready") count += 1;
  return count;
}

async function read() {
  if (isReading) return;
  isReading = true;
  while (line.length > 0) await readSome(takeSome());
  isReading = false;
}

/** From the head of the line, of one drop: as many as the last ones let expect to be read in a turn, and as there is room to unpack. */
function takeSome() {
  const next = line.slice(0, pace);
  let room = ROOM;
  const end = next.findIndex((picture, index) => {
    if (zipOf(picture.file)) room -= picture.file.size;
    return index > 0 && (picture.intake !== next[0].intake || room < 0);
  });
  return line.splice(0, end < 0 ? next.length : end);
}

async function readSome(pictures) {
  const [{ intake }] = pictures;
  await enqueue(async (pt) => {
    const began = performance.now();
    const here = pictures.filter((picture) => state.pictures.has(picture.id));
    for (const picture of here.filter(({ classId }) => classId === null)) await readLoose(pt, picture);
    await readSorted(pt, await unpack(here.filter(({ classId }) => classId !== null)), intake);
    const fitting = Math.round((pictures.length * TURN) / (performance.now() - began));
    pace = Math.max(1, Math.min(fitting, 2 * pictures.length, MOST));
  }).catch((error) => readAgain(pictures, error));
  settle(intake);
}

/** A picture without a class is only looked at: whether it can be read. Learnt from it is when it has a class. */
async function readLoose(pt, picture) {
  if (!state.pictures.has(picture.id)) return; // cancelled meanwhile
  try {
    const file = await opened(picture.file, picture.intake.stop.signal);
    await askTwice(() => pt.pixels(file));
  } catch (error) {
    return skip(picture, texts.reasonOf(error));
  }
  if (picture.classId === null) enterLoose(picture); // else it was given one meanwhile
}

/** The files of those pictures that can be opened. @returns {Promise<Map<import("./state.js").Picture, Blob>>} */
async function unpack(pictures) {
  const files = new Map();
  for (const picture of pictures) {
    if (!picture.intake.open.has(picture)) continue; // cancelled or taken out meanwhile
    try {
      files.set(picture, await opened(picture.file, picture.intake.stop.signal));
    } catch (error) {
      skip(picture, texts.reasonOf(error));
    }
  }
  return files;
}

async function readSorted(pt, files, intake) {
  const pictures = [...files.keys()].filter((picture) => intake.open.has(picture));
  if (pictures.length === 0) return;
  for (const picture of pictures) picture.reading = "reading";
  moved();
  const items = pictures.map((picture) => ({ label: labelOf(picture.classId), file: files.get(picture), group: picture.group }));
  const onProgress = ({ index, picture, reason, code }) => (picture ? enter(pictures[index], picture) : skip(pictures[index], texts.reasonOf({ reason, code })));
  const { stopped } = await pt.add(items, { onProgress, signal: intake.stop.signal });
  if (stopped) giveUp(intake, pictures.filter((picture) => intake.open.has(picture)));
}

/** What broke may be one picture's fault: they are read one by one, and the reason stands where it belongs. */
function readAgain(pictures, error) {
  const left = pictures.filter((picture) => picture.intake.open.has(picture));
  if (pictures.length === 1) return left.forEach((picture) => skip(picture, texts.reasonOf(error)));
  for (const picture of left) picture.reading = "waiting";
  line.unshift(...left);
  pace = 1;
}
