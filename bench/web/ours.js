import { MODELS, now, picturesOf } from "./common.js";

const LEAST_STEPS = 12;

/** pagetrain by its public module, from the first byte to the trained head. @param {import("./common.js").Job} job */
export async function train(job) {
  const items = await itemsOf(job);
  const started = now();
  const pt = await open(job);
  const loaded = now();
  await pt.setClasses(labelsOf(job));
  await addAll(pt, items);
  const embedded = now();
  const { losses, stepMs, addedMs, extrapolated } = await trainedBy(pt, job);
  const totalMs = now() - started + addedMs;
  const features = null;
  pt.dispose();
  return { backend: pt.backend, loadMs: loaded - started, embedMs: embedded - loaded, totalMs, losses, stepMs, extrapolated, features };
}

/** Milliseconds per picture, all handed over at once. @param {import("./common.js").Job} job */
export async function forward(job) {
  const items = await itemsOf(job);
  const pt = await open(job);
  await pt.setClasses(labelsOf(job));
  await addAll(pt, items.slice(0, job.warmUp));
  const rest = items.slice(job.warmUp);
  const before = now();
  await addAll(pt, rest);
  const pictureMs = (now() - before) / rest.length;
  pt.dispose();
  return { pictureMs };
}

/** From the first byte to a model that can be trained. @param {import("./common.js").Job} job */
export async function visit(job) {
  const started = now();
  const pt = await open(job);
  const readyMs = now() - started;
  pt.dispose();
  return { readyMs };
}

async function open(job) {
  const { Pagetrain } = await import(new URL("/pagetrain.js", location.href).href);
  return Pagetrain.load({ artifacts: job.block ? `${MODELS}page-block/` : "/artifacts/efficientnet-lite0/", ...job.options });
}

async function itemsOf(job) {
  const { labels } = await picturesOf(job);
  const blobs = await Promise.all(labels.map(async (_, index) => (await fetch(`${MODELS}pictures/${index}.png`)).blob()));
  return labels.map((label, index) => ({ label: `class ${label}`, file: new File([blobs[index]], `${index}.png`) }));
}

function labelsOf({ classes }) {
  return Array.from({ length: classes }, (_, index) => `class ${index}`);
}

async function addAll(pt, items) {
  const { added, skipped } = await pt.add(items);
  if (added !== items.length) throw new Error(`${skipped.length} pictures were skipped, first because: ${skipped[0]?.reason}`);
}

/** All epochs, or as many steps as capSeconds allow, the rest added at the mean of those. */
async function trainedBy(pt, job) {
  const stop = new AbortController();
  const started = now();
  const last = { step: 0, steps: 0, stepMs: 0 };
  const losses = [];
  const onProgress = (progress) => {
    Object.assign(last, progress);
    losses.push(progress.loss);
    if (now() - started > 1000 * job.capSeconds && last.step >= LEAST_STEPS) stop.abort();
  };
  const options = { epochs: job.epochs, batchSize: job.batch, learningRate: job.learningRate, validation: 0, seed: 0 };
  const { stopped } = await pt.train({ ...options, onProgress, signal: stop.signal });
  const missing = stopped ? last.steps - last.step : 0;
  return { losses, stepMs: last.stepMs, addedMs: missing * last.stepMs, extrapolated: missing > 0 };
}
