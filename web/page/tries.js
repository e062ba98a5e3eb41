/** Pictures to try the model on. */

import { askTwice } from "../shared/ask_twice.js";
import { say } from "./announcer.js";
import { changed, newId, state } from "./state.js";
import { opened } from "./packed_file.js";
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

function lostResult({ name, code }) {
  return { ...newResult({ name }), file: null, thumb: null, error: en.reasons[code] };
}

async function ask(pt, result) {
  const since = performance.now();
  try {
    const file = await opened(result.file);
    result.answers = await askTwice(() => pt.predict(file));
    result.took = performance.now() - since;
    say(en.try.said(result.name, result.answers[0]));
  } catch (error) {
    result.error = en.reasonOf(error);
    say(en.try.refused(result.name, result.error));
  }
  changed();
}

export function shownTry() {
  return state.tries.results.find((result) => result.id === state.tries.shown) ?? null;
}
