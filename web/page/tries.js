/** Pictures to try the model on. */

import { say } from "./announcer.js";
import { changed, newId, state } from "./state.js";
import { forgetThumbnail } from "./thumbnails.js";
import { enqueue } from "./trainer.js";
import { en } from "./texts/en.js";

const KEPT = 60;

/** Asks the model about each file; the newest answer is the one shown large. */
export async function tryOut(files) {
  for (const file of files) begin(file);
  changed();
}

function begin(file) {
  const result = { id: newId(), name: file.name, file, thumb: undefined, answers: null, error: null, took: 0 };
  state.tries.results.unshift(result);
  state.tries.shown = result.id;
  for (const old of state.tries.results.splice(KEPT)) forgetThumbnail(old);
  enqueue((pt) => ask(pt, result));
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
