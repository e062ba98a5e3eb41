/** Pictures to try the model on. */

import { say } from "./announcer.js";
import { changed, newId, state } from "./state.js";
import { forgetThumbnail } from "./thumbnails.js";
import { enqueue } from "./trainer.js";
import { en } from "./texts/en.js";

const KEPT = 60;

/** Asks the model about each file, in their order; the first of them is the one shown large. @param {import("./drops.js").Taken} taken */
export function tryOut({ found, lost = [] }) {
  const batch = [...found.map(({ file }) => newResult(file)), ...lost.map(lostResult)];
  if (batch.length === 0) return;
  state.tries.results.unshift(...batch);
  state.tries.shown = batch[0].id;
  for (const old of state.tries.results.splice(Math.max(KEPT, batch.length))) forgetThumbnail(old);
  for (const result of batch) if (result.file) enqueue((pt) => ask(pt, result));
  changed();
}

function newResult(file) {
  return { id: newId(), name: file.name, file, thumb: undefined, answers: null, error: null, took: 0 };
}

function lostResult({ name, isFolder }) {
  return { ...newResult({ name }), file: null, thumb: null, error: isFolder ? en.reasons["closed-folder"] : en.reasons.unreadable };
}

async function ask(pt, result) {
  const since = performance.now();
  try {
    result.answers = await predictTwice(pt, result.file);
    result.took = performance.now() - since;
    say(en.try.said(result.name, result.answers[0]));
  } catch (error) {
    result.error = en.reasonOf(error);
    say(en.try.refused(result.name, result.error));
  }
  changed();
}

/** When the trainer dies, it may be this picture's fault or not: the next one is asked too. */
async function predictTwice(pt, file) {
  try {
    return await pt.predict(file);
  } catch (error) {
    if (error.kind !== "worker") throw error;
    return pt.predict(file);
  }
}

export function shownTry() {
  return state.tries.results.find((result) => result.id === state.tries.shown) ?? null;
}
