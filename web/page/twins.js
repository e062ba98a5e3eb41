/** Pictures that are the same or nearly: asked of the trainer when all is read and nothing has changed for a moment. */

import { waitingCount } from "./reading.js";
import { changed, isReady, picturesOf, state, subscribe } from "./state.js";
import { enqueue, labelOf } from "./trainer.js";

/** Milliseconds without a change before the trainer is asked. */
const QUIET = 500;

let timer;

/** Asks whenever classes or pictures have changed. Until then, and if it fails, what was found before stands. */
export function watchTwins() {
  let seen = state.edition;
  subscribe(() => {
    if (seen === state.edition) return;
    seen = state.edition;
    askLater();
  });
}

function askLater() {
  clearTimeout(timer);
  timer = setTimeout(ask, QUIET);
}

async function ask() {
  const busy = state.training.phase === "running" || state.training.phase === "stopping";
  if (!isReady() || busy || waitingCount() > 0) return askLater();
  try {
    state.check.groups = await enqueue(async (pt) => idsOf(await pt.nearDuplicates()));
  } catch (error) {
    if (error.name !== "AbortError") console.error(error); // only the hint is missing
  }
  changed();
}

/** The page's pictures by the trainer's names for them. Its classes are called as they are now, in its line of jobs. */
function idsOf(groups) {
  const placeOf = (classId, key) => `${classId} ${key}`;
  const ids = new Map([...state.pictures.values()].map(({ id, classId, key }) => [placeOf(classId, key), id]));
  const classes = new Map(state.classes.map((one) => [labelOf(one.id), one.id]));
  return groups.map((group) => group.map(({ key, label }) => ids.get(placeOf(classes.get(label), key))));
}

/**
 * The groups as they stand now, of two pictures or more, in the order in which they were found.
 * @returns {import("./state.js").Picture[][]}
 */
export function twins() {
  const here = state.check.groups.map((ids) => ids.map((id) => state.pictures.get(id)).filter((picture) => picture && picture.classId !== null));
  return here.filter((group) => group.length > 1);
}

/** A class all of whose pictures lie in another one too, and that other: it cannot be told apart. Null when there is none. */
export function swallowed() {
  const holders = new Map();
  for (const { key, classId } of state.pictures.values()) {
    if (key && classId !== null) holders.set(key, [...(holders.get(key) ?? []), classId]);
  }
  if ([...holders.values()].every((classes) => classes.length === 1)) return null;
  for (const one of state.classes) {
    const keys = picturesOf(one.id).map(({ key }) => key);
    const other = keys.length > 0 && state.classes.find(({ id }) => id !== one.id && keys.every((key) => holders.get(key)?.includes(id)));
    if (other) return { one, other };
  }
  return null;
}
