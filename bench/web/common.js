/** What every contestant shares: the job's pictures, the clock, and the rule for loops that are cut short. */

/**
 * @typedef {{pictures: number, classes: number, epochs: number, batch: number, size: number, learningRate: number, capSeconds: number,
 *   warmUp: number, threads: number, block: boolean, options: Record<string, unknown>}} Job
 *   warmUp: pictures that are run before the clock starts, where only a forward pass is timed
 *   threads: of the contestant, where it can be told; block: the last block is trained too; options: for the contestant alone
 */

export const MODELS = "/bench/models/";
export const PEERS = "/bench/peers/";
const LEAST_STEPS = 12; // before a loop may be cut short: the first run before the compiler is warm

export const now = () => performance.now();

/** Decoded pictures, uint8 RGB (size, size, 3) each, classes in turn. @param {Job} job */
export async function picturesOf(job) {
  const all = new Uint8Array(await (await fetch(`${MODELS}pictures/all.bin`)).arrayBuffer());
  const length = job.size * job.size * 3;
  const pixels = Array.from({ length: job.pictures }, (_, index) => all.slice(index * length, (index + 1) * length));
  return { pixels, labels: pixels.map((_, index) => index % job.classes) };
}

/** Normalised float32, (N, 3, size, size). @param {Uint8Array[]} pixels @param {number} size */
export function channelsFirst(pixels, size) {
  const plane = size * size;
  const values = new Float32Array(pixels.length * 3 * plane);
  pixels.forEach((picture, n) => {
    for (let i = 0; i < plane; i++) {
      for (let channel = 0; channel < 3; channel++) values[(n * 3 + channel) * plane + i] = (picture[3 * i + channel] - 127) / 128;
    }
  });
  return values;
}

/** Normalised float32, (size, size, 3). @param {Uint8Array} pixels */
export function channelsLast(pixels) {
  const values = new Float32Array(pixels.length);
  for (let i = 0; i < pixels.length; i++) values[i] = (pixels[i] - 127) / 128;
  return values;
}

/** [begin, end) of every batch of every epoch. @param {Job} job */
export function* batchesOf({ pictures, batch, epochs }) {
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let begin = 0; begin < pictures; begin += batch) yield [begin, Math.min(pictures, begin + batch)];
  }
}

/**
 * Runs one step per batch; after capSeconds, and LEAST_STEPS, the rest is not run but added at the median of the second half of the steps.
 *
 * @param {Job} job @param {(begin: number, end: number) => Promise<number>} step returns the loss
 */
export async function trainingLoop(job, step) {
  const plan = [...batchesOf(job)];
  const times = [];
  const losses = [];
  const started = now();
  for (const [begin, end] of plan) {
    const before = now();
    losses.push(await step(begin, end));
    times.push(now() - before);
    if (now() - started > 1000 * job.capSeconds && times.length >= LEAST_STEPS) break;
  }
  const missing = plan.length - times.length;
  const stepMs = median(times.slice(times.length >> 1));
  return { losses, stepMs, addedMs: missing * stepMs, extrapolated: missing > 0 };
}

/** @param {number[]} values */
export function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

/** A classic script, as a page without a bundler loads a library. @param {string} url */
export function loadScript(url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${url} could not be loaded`));
    element.src = url;
    document.head.append(element);
  });
}
