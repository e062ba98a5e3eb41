/** The one door to the trainer: a line of jobs that are done one after another, in the order in which the person asked for them. */

import { Pagetrain } from "../pagetrain.js";
import { changed, state } from "./state.js";

const ARTIFACTS = "./artifacts/efficientnet-lite0/";

let open;
let isOpen = false;
/** Jobs of an era that is over are not done any more. */
let era = 0;
const opened = new Promise((resolve) => { open = resolve; });
let trainer = null;
let line = opened;

/** The name by which the trainer knows a class: jobs replay what the person did, so it may lag behind the page. */
const labels = new Map();

/** The trainer, once it is there: to look at what it holds, not to ask it for anything. @returns {Pagetrain | null} */
export function trainerNow() {
  return isOpen ? trainer : null;
}

/**
 * Loads the trainer and seals the page, when `before` has settled. May be called again after a failure: what has arrived is kept.
 * @param {Promise<void>} before
 */
export async function load(onProgress, before) {
  trainer ??= await begin(onProgress, before);
  await trainer.ready;
  isOpen = true;
  open();
  return trainer;
}

async function begin(onProgress, seal) {
  const backend = new URLSearchParams(location.search).get("backend") === "numpy" ? "numpy" : "auto";
  const begun = await Pagetrain.load({ artifacts: ARTIFACTS, backend, seal, onProgress });
  begun.addEventListener("restart", () => { state.restarted = true; changed(); });
  return begun;
}

/** Does `job(trainer)` when everything asked for before is done. A job that fails does not stop the ones behind it. */
export function enqueue(job) {
  const mine = era;
  const answer = line.then(() => {
    if (mine !== era) throw new DOMException("what it was for is gone", "AbortError");
    return job(trainer);
  });
  line = answer.catch(() => {});
  return answer;
}

/** What was asked for and not begun is not done; settles when what was begun is. */
export async function forgetJobs() {
  era += 1;
  if (isOpen) await line;
}

export function labelOf(classId) {
  return labels.get(classId);
}

/** The classes that the trainer calls so; undefined where it knows more than the page. @param {string[]} names */
export function classesCalled(names) {
  const ids = new Map([...labels].map(([id, name]) => [name, id]));
  return names.map((name) => ids.get(name));
}

/**
 * Inside a job: contents in place of all that the trainer holds, for these classes, in the order of its labels.
 * @param {Pagetrain} pt @param {import("../module/contents.js").Contents} contents @param {number[]} classIds
 */
export async function restoreTrainer(pt, contents, classIds) {
  await pt.restore(contents);
  noteClasses(classIds.map((id, index) => ({ id, name: contents.labels[index] })));
}

/** Inside a job: the trainer has these classes now, and calls them so. @param {{ id: number, name: string }[]} classes */
export function noteClasses(classes) {
  labels.clear();
  for (const { id, name } of classes) labels.set(id, name);
}

/** Like `enqueue`, for jobs that nobody waits for: what goes wrong stands on the page. */
export function tell(job) {
  enqueue(job).catch((error) => {
    if (error.name === "AbortError") return;
    console.error(error);
    state.fault = error;
    changed();
  });
}

/** Tells the trainer which classes there are now. */
export function sendClasses() {
  const now = state.classes.map((one) => [one.id, one.name]);
  tell(async (pt) => {
    await pt.setClasses(now.map(([, name]) => name));
    labels.clear();
    for (const [id, name] of now) labels.set(id, name);
  });
}

export function sendRename(id, name) {
  tell(async (pt) => {
    await pt.renameClass(labels.get(id), name);
    labels.set(id, name);
  });
}
