import { MODELS, now, picturesOf } from "./common.js";

const LEAST_STEPS = 12;

/**
 * pagetrain by its public module, from the first byte to the trained model.
 *
 * @param {import("./common.js").Job} job options.loadedFirst: pictures come when everything is loaded, so that embedding can be timed alone
 */
export async function train(job) {
  const { items, names } = await handedOver(job);
  const started = now();
  const pt = await open(job);
  const ready = pt.ready.then(() => now() - started);
  if (job.options.loadedFirst) await ready;
  const before = now();
  await pt.setClasses(names);
  await addAll(pt, items);
  const embedMs = job.options.loadedFirst ? now() - before : null;
  const { addedMs, ...measured } = await trainedBy(pt, job);
  const totalMs = now() - started + addedMs;
  const features = job.block ? null : [...(await pt.features(items[0].pixels))];
  const { backend } = pt;
  pt.dispose();
  return { loadMs: await ready, embedMs, totalMs, ...measured, backend, features };
}

/** Milliseconds per picture, all handed over at once when everything is loaded. @param {import("./common.js").Job} job */
export async function forward(job) {
  const { items, names } = await handedOver(job);
  const pt = await open(job);
  await pt.ready;
  await pt.setClasses(names);
  await addAll(pt, items.slice(0, job.warmUp));
  const measured = items.slice(job.warmUp);
  const before = now();
  await addAll(pt, measured);
  const pictureMs = (now() - before) / measured.length;
  pt.dispose();
  return { pictureMs };
}

/** From the first byte to a model that can be trained. @param {import("./common.js").Job} job */
export async function visit(job) {
  const started = now();
  const pt = await open(job);
  await pt.ready;
  const readyMs = now() - started;
  pt.dispose();
  return { readyMs };
}

/** options.cores: what the page is told that the machine has; options.backend: as Pagetrain.load takes it. */
async function open({ block, options: { cores, backend } }) {
  if (cores) Object.defineProperty(navigator, "hardwareConcurrency", { get: () => cores });
  const { Pagetrain } = await import(new URL("/pagetrain.js", location.href).href);
  return Pagetrain.load({ artifacts: block ? `${MODELS}page-block/` : "/artifacts/efficientnet-lite0/", ...(backend ? { backend } : {}) });
}

async function handedOver(job) {
  const { pixels, labels } = await picturesOf(job);
  const [width, height] = [job.size, job.size];
  const items = pixels.map((data, index) => ({ label: `class ${labels[index]}`, pixels: { width, height, data } }));
  return { items, names: Array.from({ length: job.classes }, (_, index) => `class ${index}`) };
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
