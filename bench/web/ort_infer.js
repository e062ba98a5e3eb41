import { channelsFirst, loadScript, MODELS, now, PEERS, picturesOf } from "./common.js";
import { trainHead } from "./head.js";

const WIDTH = 1280;

/** onnxruntime-web 1.30.0 runs the frozen network once per picture; a small head is trained in JavaScript. @param {import("./common.js").Job} job */
export async function train(job) {
  if (job.block) return { unsupported: "an inference session has no gradients" };
  const { pixels, labels } = await picturesOf(job);
  const started = now();
  const session = await open(job);
  const loaded = now();
  const features = new Float32Array(job.pictures * WIDTH);
  for (const [index, picture] of pixels.entries()) features.set(await featuresOf(session, picture, job.size), index * WIDTH);
  const embedded = now();
  const { addedMs, ...measured } = await trainHead(features, labels, WIDTH, job);
  const totalMs = now() - started + addedMs;
  return { loadMs: loaded - started, embedMs: embedded - loaded, totalMs, ...measured, features: [...features.subarray(0, WIDTH)] };
}

/** Milliseconds per picture, one after another. @param {import("./common.js").Job} job */
export async function forward(job) {
  const { pixels } = await picturesOf(job);
  const session = await open(job);
  for (const picture of pixels.slice(0, job.warmUp)) await featuresOf(session, picture, job.size);
  const measured = pixels.slice(job.warmUp);
  const before = now();
  for (const picture of measured) await featuresOf(session, picture, job.size);
  return { pictureMs: (now() - before) / measured.length };
}

async function open(job) {
  await loadScript(`${PEERS}ort/ort.wasm.min.js`);
  ort.env.wasm.wasmPaths = `${PEERS}ort/`;
  ort.env.wasm.numThreads = job.threads;
  return ort.InferenceSession.create(`${MODELS}features.onnx`, { executionProviders: ["wasm"] });
}

async function featuresOf(session, picture, size) {
  const results = await session.run({ input: new ort.Tensor("float32", channelsFirst([picture], size), [1, 3, size, size]) });
  return results.features.data;
}
