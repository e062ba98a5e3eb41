/** Training: whether it can begin, its course, its result. */

import { say } from "./announcer.js";
import { waitingCount } from "./intake.js";
import { changed, counts, isReady, isTrained, state } from "./state.js";
import { enqueue } from "./trainer.js";
import { en } from "./texts/en.js";

export function isLearning() {
  return state.training.phase === "running" || state.training.phase === "stopping";
}

/** Why it cannot train now, in words; null when it can. */
export function whyNot() {
  const perClass = counts();
  const empty = state.classes.filter((one) => perClass.get(one.id) === 0);
  const filled = state.classes.length - empty.length;
  if (filled === 0) return en.train.why.nothing;
  if (filled === 1) return en.train.why.oneClass;
  if (empty.length > 0) return en.train.why.emptyClass(empty[0].name);
  if (state.load.phase === "failed") return en.train.why.failed;
  if (!isReady()) return en.train.why.loading;
  if (waitingCount() > 0) return en.train.why.reading(waitingCount());
  return null;
}

export async function learn() {
  const stop = new AbortController();
  const { settings } = state.training;
  state.training = { ...state.training, phase: "running", progress: null, curves: [], error: null, since: performance.now(), stop };
  changed();
  const edition = state.edition;
  try {
    const history = await enqueue((pt) => pt.train({ ...settings, signal: stop.signal, onProgress }));
    finish(history, edition);
  } catch (error) {
    fail(error);
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
  if (progress.step === progress.steps) training.curves.push(judged(progress));
  say(en.train.status(progress));
  changed();
}

/** A round with its counts: right answers among the pictures kept aside, or among all where none were. */
function judged(round) {
  const aside = round.validationCount > 0 && typeof round.validationAccuracy === "number";
  const all = aside ? round.validationCount : round.trainCount;
  const share = aside ? round.validationAccuracy : round.accuracy;
  return { ...round, aside, all, right: Math.round(share * all) };
}

function finish(history, edition) {
  const { training } = state;
  const took = performance.now() - training.since;
  const best = training.curves.find(({ epoch }) => epoch === history.bestEpoch) ?? training.curves.at(-1);
  const result = { right: best.right, all: best.all, aside: best.aside, best: best.epoch, rounds: training.curves.length, stopped: history.stopped, took };
  Object.assign(training, { phase: "done", edition, result, stop: null });
  state.take.files = null;
  say(en.train.result(result));
}

function fail(error) {
  console.error(error);
  Object.assign(state.training, { phase: isTrained() ? "done" : "idle", error, stop: null });
  say(en.train.failed.title);
}
