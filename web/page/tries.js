/** Pictures to try the model on. */

import { say } from "./announcer.js";
import { changed, newId, state } from "./state.js";
import { forgetThumbnail } from "./thumbnails.js";
import { enqueue } from "./trainer.js";
import { en } from "./texts/en.js";

const KEPT = 60;

/** Asks the model about each file, in their order; the first of them is the one shown large. */
export function tryOut(files) {
  if (files.length === 0) return;
  const batch = files.map(newResult);
  state.tries.results.unshift(...batch);
  state.tries.shown = batch[0].id;
  for (const old of state.tries.results.splice(Math.max(KEPT, batch.length))) forgetThumbnail(old);
  for (const result of batch) enqueue((pt) => ask(pt, result));
  changed();
}

function newResult(file) {
  return { id: newId(), name: file.name, file, thumb: undefined, answers: null, error: null, took: 0 };
}

async function ask(pt, result) {
  const since = performance.now();
  try {
    result.answers = await pt.predict(result.file);
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
