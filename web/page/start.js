/** Loading the trainer while the page is already in use: what has come, how long it takes, what went wrong. */

import { say } from "./announcer.js";
import { giveUpKept, keepPage, prepareOffline } from "./offline/offline.js";
import { countRequests, keepIcon } from "./seal.js";
import { changed, state } from "./state.js";
import { load } from "./trainer.js";
import { texts } from "./texts/texts.js";
import { loadZipReader } from "./zips.js";

/** What the last stage, which loads nothing, takes; only for the first guess of the time left. */
const START_SECONDS = 3;

/** @returns {import("./state.js").Stage[]} */
export function stagesAtFirst() {
  return /** @type {const} */ (["python", "packages", "model", "start"]).map((id) => ({ id, state: "waits", loaded: 0, total: 0 }));
}

export async function start() {
  state.load = { phase: "loading", stages: keepDone(state.load.stages), since: performance.now(), fetched: 0, startedAt: null, error: null };
  changed();
  const prepared = prepareOffline();
  await Promise.all([keepIcon(), loadZipReader()]);
  try {
    const trainer = await load(progress, prepared);
    state.featureBytes = trainer.featureBytes;
    state.layersOffered = trainer.layersOffered;
    state.load.phase = "ready";
    for (const stage of state.load.stages) finish(stage);
    if (trainer.sealed) countRequests(state.load.startedAt);
    say(texts.load.ready);
    keepPage();
  } catch (error) {
    fail(error);
    giveUpKept(error).catch(console.warn);
  }
  changed();
}

function keepDone(stages) {
  return stagesAtFirst().map((fresh) => stages.find((old) => old.id === fresh.id && old.state === "done") ?? fresh);
}

/** When one file broke, the others go on arriving. */
function progress({ stage: id, loaded, total }) {
  const stage = state.load.stages.find((one) => one.id === id);
  if (stage.state === "failed") return;
  if (id !== "start") state.load.fetched += Math.max(0, loaded - stage.loaded);
  if (id === "start") state.load.startedAt ??= performance.now();
  Object.assign(stage, { state: total > 0 && loaded >= total ? "done" : "now", loaded, total });
  changed();
}

function finish(stage) {
  stage.state = "done";
  stage.loaded = stage.total;
}

function fail(error) {
  console.error(error);
  const broken = stageOf(error);
  state.load.stages.find((stage) => stage.id === broken).state = "failed";
  state.load.phase = "failed";
  state.load.error = error;
}

/** Files of all stages are on their way at once; which one broke tells its stage. */
function stageOf({ code, detail }) {
  const file = detail?.file ?? "";
  if (code === "start" || file === "") return "start";
  if (file.includes("/artifacts/")) return "model";
  return file.endsWith(".tar") ? "packages" : "python";
}

/** A guess from what came so far; null as long as there is nothing to guess from. */
export function secondsLeft() {
  const { stages, since, fetched } = state.load;
  const rest = stages.reduce((sum, stage) => sum + (stage.id === "start" ? 0 : stage.total - stage.loaded), 0);
  const passed = (performance.now() - since) / 1000;
  if (fetched === 0 || passed < 0.5) return null;
  return rest / (fetched / passed) + START_SECONDS;
}
