/** Pictures to try the model on. */

import { askTwice } from "../shared/ask_twice.js";
import { say } from "./announcer.js";
import { isLearning } from "./learning.js";
import { changed, isNone, isTrained, nameOf, newId, state, subscribe } from "./state.js";
import { opened } from "./packed_file.js";
import { forgetThumbnail } from "./thumbnails.js";
import { classesCalled, enqueue, labelOf, tell } from "./trainer.js";
import { texts } from "./texts/texts.js";

const KEPT = 60;
/** Training pictures that are shown beside an answer. */
const NEAR = 4;

/** Asks the model about each file, in their order; the first of them is the one shown large. @param {import("./drops.js").Taken} taken */
export function tryOut({ found, lost = [] }) {
  const batch = [...found.map(({ file }) => newResult(file)), ...lost.map(lostResult)];
  if (batch.length === 0) return;
  enter(batch);
  for (const result of batch) if (result.file) tell((pt) => ask(pt, result));
}

/** Keeps what was answered live. @param {import("./state.js").Live} live */
export function keep({ file, answers, by, took }) {
  state.tries.kept += 1;
  enter([{ ...newResult(file), answers, by, took }]);
}

/** Shows one of them large, or none. */
export function show(id) {
  Object.assign(state.tries, { shown: id, live: null });
  const result = shownTry();
  if (result?.answers && result.near === null) remind(result);
  changed();
}

function enter(batch) {
  state.tries.results.unshift(...batch);
  for (const old of state.tries.results.splice(Math.max(KEPT, batch.length))) forgetThumbnail(old);
  show(batch[0].id);
}

function newResult(file) {
  return { id: newId(), name: file.name, file, thumb: undefined, answers: null, by: null, near: null, error: null, took: 0, added: null };
}

function lostResult({ name, code }) {
  return { ...newResult({ name }), file: null, thumb: null, error: texts.reasons[code] };
}

/** Inside a job: what the model says of a picture, each answer with its class, which may be called otherwise later. @returns {Promise<import("./state.js").Answer[]>} */
export async function answersOf(pt, file) {
  const answers = await pt.predict(file);
  const classIds = classesCalled(answers.map(({ label }) => label));
  return answers.map((answer, place) => ({ ...answer, classId: classIds[place] }));
}

async function ask(pt, result) {
  const since = performance.now();
  const isSaid = result.answers === null || result.id === state.tries.shown;
  const by = state.training.result;
  try {
    const file = await opened(result.file);
    const answers = await askTwice(() => answersOf(pt, file));
    Object.assign(result, { answers, by, took: performance.now() - since, near: null });
    const [best] = result.answers;
    if (isSaid) say(texts.try.said(result.name, { ...best, label: nameOf(best) }, isNone(best)));
    if (result.id === state.tries.shown) remind(result);
  } catch (error) {
    Object.assign(result, { answers: null, by, error: texts.reasonOf(error) });
    say(texts.try.refused(result.name, result.error));
  }
  changed();
}

let isAsking = false;

/** After another training the answers are those of a model that is gone: each picture is asked about again, the one on show first. */
async function askAgain() {
  if (isAsking || isLearning() || !isTrained()) return;
  const old = [shownTry(), ...state.tries.results].find((result) => result?.answers && result.by !== state.training.result);
  if (!old) return;
  isAsking = true;
  await enqueue((pt) => ask(pt, old)).catch(() => {}); // what goes wrong is its answer, unless it is gone
  isAsking = false;
  askAgain();
}

subscribe(askAgain);

/** Looks up the training pictures that are nearest to it. */
async function remind(result) {
  result.near = [];
  try {
    const near = await enqueue(async (pt) => pt.similar(await opened(result.file), { count: NEAR }));
    result.near = near.map(pictureOf).filter(Boolean);
  } catch (error) {
    if (error.name !== "AbortError") console.error(error); // its answer stands without them
  }
  changed();
}

function pictureOf({ key, label }) {
  for (const picture of state.pictures.values()) if (picture.key === key && labelOf(picture.classId) === label) return picture;
  return null;
}

export function shownTry() {
  return state.tries.results.find((result) => result.id === state.tries.shown) ?? null;
}
