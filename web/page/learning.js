/** Training: whether it can begin, its course, its result. */

import { askTwice } from "../shared/ask_twice.js";
import { say } from "./announcer.js";
import { rightCount } from "./judged/verdicts.js";
import { judgementOf, sheet } from "./judgement.js";
import { learnNone } from "./none.js";
import { hasPhoto } from "./pictures.js";
import { prepare } from "./preparing.js";
import { waitingCount } from "./reading.js";
import { changed, counts, isReady, isTrained, moved, state, subscribe } from "./state.js";
import { enqueue } from "./trainer.js";
import { texts } from "./texts/texts.js";
import { swallowed } from "./twins.js";

export function isLearning() {
  return state.training.phase === "running" || state.training.phase === "stopping";
}

/** Why it cannot train now, in words; null when it can. */
export function whyNot() {
  const why = whatIsMissing();
  if (why) return why;
  if (state.load.phase === "failed") return texts.train.why.failed;
  if (!isReady()) return texts.train.why.loading;
  return waitingCount() > 0 ? texts.train.why.reading(waitingCount()) : null;
}

/** What of that the person can bring on Collect; null where there is nothing. */
export function whatIsMissing() {
  const perClass = counts();
  const empty = state.classes.filter((one) => perClass.get(one.id) === 0);
  const filled = state.classes.length - empty.length;
  if (filled === 0) return state.pictures.size > 0 ? texts.train.why.unsorted(state.pictures.size) : texts.train.why.nothing;
  if (filled === 1) return texts.train.why.oneClass;
  if (empty.length > 0) return texts.train.why.emptyClass(empty[0].name);
  const lost = swallowed();
  return lost ? texts.train.why.sameClass(lost.one.name, lost.other.name) : null;
}

/** `quiet`: in the background, with a word only at the end; `anew`: not from what it knows. */
export async function learn({ quiet = false, anew = false } = {}) {
  if (isLearning()) return; // a second click before the button was gone
  const stop = new AbortController();
  const { settings, layers, curves } = state.training;
  state.training = { ...state.training, phase: "running", progress: null, preparing: null, curves: [], quiet, error: null, since: performance.now(), stop };
  changed();
  const edition = state.edition;
  try {
    const augment = [...state.pictures.values()].some(hasPhoto) ? settings.augment : undefined; // no variants can be made without
    await prepare({ layers, augment, anew }, stop.signal);
    const asked = sheet();
    if (classCount(asked) < 2) stop.abort(); // pictures went while it got ready
    stop.signal.throwIfAborted();
    const history = await enqueue((pt) => askTwice(() => train(pt, { ...settings, augment, signal: stop.signal, onProgress })));
    if (isSuperseded()) Object.assign(state.training, { phase: isTrained() ? "done" : "idle", curves, stop: null });
    else finish(history, { edition, weights: settings.classWeights }, curves, asked);
  } catch (error) {
    fail(error, curves);
  }
  changed();
}

/** Classes that have pictures to learn from. */
function classCount({ pictures }) {
  return new Set([...pictures.values()].map(({ classId }) => classId)).size;
}

/** From the first round on: another worker begins anew what its predecessor died of, or in. */
function train(pt, options) {
  state.training.curves = [];
  return pt.train(options);
}

export function stopLearning() {
  state.training.stop?.abort();
  state.training.phase = "stopping";
  changed();
}

/** Whether a training is wanted that takes in the latest changes. */
let again = false;

/** Learns again in the background. Changes that come while it does are merged: the training under way gives way to one with all of them. */
export function learnAgain() {
  again = true;
  if (isLearning()) stopLearning();
  else goOn();
  changed();
}

/** Whether another training follows at once, with what has changed meanwhile. */
function isSuperseded() {
  return again && (waitingCount() > 0 || whyNot() === null);
}

/** Begins as soon as nothing is in its way. Where it cannot, the page says that the result is stale, and why. */
function goOn() {
  if (!again || isLearning() || waitingCount() > 0) return;
  again = false;
  if (whyNot() === null) learn({ quiet: true });
}

subscribe(goOn);

function onProgress(progress) {
  const { training } = state;
  training.progress = { ...training.progress, ...progress };
  if (progress.accuracy !== undefined) training.curves.push({ ...progress, sure: null }); // one for each picture: only the last round's are kept
  if (!training.quiet) say(texts.train.status(progress));
  moved();
}

/**
 * Right answers in counts: among pictures kept aside where there are some, else among those it learnt from.
 * @param {import("./state.js").Progress} round
 */
export function rightOf({ validationCount, trainCount, validationAccuracy, accuracy }) {
  const aside = validationCount > 0;
  const all = aside ? validationCount : trainCount;
  return { aside, all, right: Math.round((aside ? validationAccuracy : accuracy) * all) };
}

function finish(history, learnt, before, asked) {
  const { training } = state;
  const judgement = judgementOf(history.judged, asked);
  const took = performance.now() - training.since;
  const result = resultOf({ ...history, epochs: training.curves, took }, judgement, asked.classes);
  if (!result) {
    say(texts.train.stoppedEarly);
    return fail(new DOMException(texts.train.stoppedEarly, "AbortError"), before);
  }
  if (training.quiet && training.result && !training.result.given) result.before = { right: training.result.right, all: training.result.all };
  const words = result.before ? texts.look.again(result, result.before) : texts.train.result(result);
  Object.assign(training, { ...learnt, phase: "done", result, judgement, stop: null });
  learnNone(judgement);
  say(words);
}

/**
 * What a training came to; null if it ended before its first round did.
 * @param {import("../module/project/training_fields.js").Training} history @param {import("./state.js").Judgement} judgement @param {{ id: number }[]} classes that learnt
 * @returns {import("./state.js").Result}
 */
export function resultOf({ epochs, bestEpoch, folds, stopped, took }, judgement, classes) {
  const best = epochs.find(({ epoch }) => epoch === bestEpoch) ?? epochs.at(-1);
  if (!best) return null;
  return { ...(judgement ? judgedRight(judgement) : rightOf(best)), folds, best: best.epoch, rounds: epochs.length, stopped, took, learnt: new Set(classes.map(({ id }) => id)) };
}

/** Of the pictures that were judged by a model that had not seen them. */
function judgedRight({ verdicts }) {
  return { aside: true, all: verdicts.length, right: rightCount(verdicts) };
}

/** The model is as it was before; so are the curves, from the training before if there was one. */
function fail(error, before) {
  const aborted = error.name === "AbortError"; // stopped before its turn came: nothing broke
  if (!aborted) console.error(error);
  Object.assign(state.training, { phase: isTrained() ? "done" : "idle", curves: before, preparing: null, error: aborted ? null : error, stop: null });
  if (!aborted) say(texts.train.failed.title);
}
