/** The one door to the trainer: a line of jobs that are done one after another, in the order in which the person asked for them. */

import { Pagetrain } from "../pagetrain.js";
import { changed, state } from "./state.js";

const ARTIFACTS = "./artifacts/efficientnet-lite0/";

let open;
const opened = new Promise((resolve) => { open = resolve; });
let trainer = null;
let line = opened;

/** The name by which the trainer knows a class: jobs replay what the person did, so it may lag behind the page. */
const labels = new Map();

/** Loads the trainer and seals the page. May be called again after a failure: what has arrived is kept. */
export async function load(onProgress) {
  trainer ??= await begin(onProgress);
  await trainer.ready;
  open();
  return trainer;
}

async function begin(onProgress) {
  const backend = new URLSearchParams(location.search).get("backend") === "numpy" ? "numpy" : "auto";
  const begun = await Pagetrain.load({ artifacts: ARTIFACTS, backend, seal: true, onProgress });
  begun.addEventListener("restart", () => { state.restarted = true; changed(); });
  return begun;
}

/** Does `job(trainer)` when everything asked for before is done. A job that fails does not stop the ones behind it. */
export function enqueue(job) {
  const answer = line.then(() => job(trainer));
  line = answer.catch(() => {});
  return answer;
}

export function labelOf(classId) {
  return labels.get(classId);
}

/** Like `enqueue`, for jobs that nobody waits for: what goes wrong stands on the page. */
export function tell(job) {
  enqueue(job).catch((error) => {
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
