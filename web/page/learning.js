/** Training: whether it can begin, its course, its result. */

import { say } from "./announcer.js";
import { waitingCount } from "./reading.js";
import { changed, counts, isReady, isTrained, moved, state } from "./state.js";
import { enqueue } from "./trainer.js";
import { en } from "./texts/en.js";
import { swallowed } from "./twins.js";

export function isLearning() {
  return state.training.phase === "running" || state.training.phase === "stopping";
}

/** Why it cannot train now, in words; null when it can. */
export function whyNot() {
  const perClass = counts();
  const empty = state.classes.filter((one) => perClass.get(one.id) === 0);
  const filled = state.classes.length - empty.length;
  if (filled === 0) return state.pictures.size > 0 ? en.train.why.unsorted(state.pictures.size) : en.train.why.nothing;
  if (filled === 1) return en.train.why.oneClass;
  if (empty.length > 0) return en.train.why.emptyClass(empty[0].name);
  const lost = swallowed();
  if (lost) return en.train.why.sameClass(lost.one.name, lost.other.name);
  if (state.load.phase === "failed") return en.train.why.failed;
  if (!isReady()) return en.train.why.loading;
  if (waitingCount() > 0) return en.train.why.reading(waitingCount());
  return null;
}

export async function learn() {
  if (isLearning()) return; // a second click before the button was gone
  const stop = new AbortController();
  const { settings, curves } = state.training;
  state.training = { ...state.training, phase: "running", progress: null, curves: [], error: null, since: performance.now(), stop };
  changed();
  const edition = state.edition;
  try {
    const history = await enqueue((pt) => pt.train({ ...settings, signal: stop.signal, onProgress }));
    finish(history, { edition, weights: settings.classWeights }, curves);
  } catch (error) {
    fail(error, curves);
  }
  changed();
}

export function stopLearning() {
  state.training.stop?.abort();
  state.training.phase = "stopping";
  changed();
}

function onProgress(progress) {
  const { training } = state;
  training.progress = { ...training.progress, ...progress };
  if (progress.accuracy !== undefined) training.curves.push({ ...progress, sure: null }); // one for each picture: only the last round's are kept
  say(en.train.status(progress));
  moved();
}

/**
 * Right answers in counts: among pictures kept aside where there are some, else among those it learnt from.
 * While the kept ones are learnt from too, in the second half, the count is that of the best round before.
 * @param {import("./state.js").Progress} round
 */
export function rightOf({ validationCount, trainCount, validationAccuracy, accuracy }) {
  const aside = validationCount > 0;
  const all = aside ? validationCount : trainCount;
  return { aside, all, right: Math.round((aside ? validationAccuracy : accuracy) * all) };
}

function finish(history, learnt, before) {
  const { training } = state;
  const took = performance.now() - training.since;
  const best = training.curves.find(({ epoch }) => epoch === history.bestEpoch) ?? training.curves.at(-1);
  if (!best) return fail(new Error(en.train.stoppedEarly), before);
  const result = { ...rightOf(best), best: best.epoch, rounds: training.curves.length, stopped: history.stopped, usesAll: best.measured === false && best.validationCount > 0, took };
  Object.assign(training, { ...learnt, phase: "done", result, stop: null });
  state.take.files = null;
  say(en.train.result(result));
}

/** The model is as it was before; so are the curves, from the training before if there was one. */
function fail(error, before) {
  const aborted = error.name === "AbortError"; // stopped before its turn came: nothing broke
  if (!aborted) console.error(error);
  Object.assign(state.training, { phase: isTrained() ? "done" : "idle", curves: before, error: aborted ? null : error, stop: null });
  if (!aborted) say(en.train.failed.title);
}
