import { channelsFirst, loadScript, MODELS, now, PEERS, picturesOf, trainingLoop } from "./common.js";

/** onnxruntime-web 1.19.2, the last release that trains: every step runs the whole network. @param {import("./common.js").Job} job */
export async function train(job) {
  const { pixels, labels } = await picturesOf(job);
  const started = now();
  const session = await open(job);
  const loaded = now();
  const input = channelsFirst(pixels, job.size);
  const loop = await trainingLoop(job, async (begin, end) => {
    const results = await session.runTrainStep(feedsOf(session, input, labels, begin, end, job.size));
    await session.runOptimizerStep();
    await session.lazyResetGrad();
    return Number(results[session.trainingOutputNames[0]].data[0]);
  });
  const { addedMs, ...measured } = loop;
  return { loadMs: loaded - started, totalMs: now() - started + addedMs, ...measured };
}

/** Milliseconds per picture of the evaluation graph, in the job's batches. @param {import("./common.js").Job} job */
export async function forward(job) {
  const { pixels, labels } = await picturesOf(job);
  const session = await open(job);
  const input = channelsFirst(pixels, job.size);
  const run = (begin) => session.runEvalStep(feedsOf(session, input, labels, begin, begin + job.batch, job.size));
  await run(0);
  const before = now();
  for (let begin = 0; begin + job.batch <= job.pictures; begin += job.batch) await run(begin);
  return { pictureMs: (now() - before) / (job.pictures - (job.pictures % job.batch)) };
}

async function open(job) {
  await loadScript(`${PEERS}ort-training/ort.training.wasm.min.js`);
  ort.env.wasm.wasmPaths = `${PEERS}ort-training/`;
  ort.env.wasm.numThreads = job.threads;
  const folder = `${MODELS}${job.block ? "train-block" : "train-last"}/`;
  const files = {
    checkpointState: `${folder}checkpoint`,
    trainModel: `${folder}training_model.onnx`,
    evalModel: `${folder}eval_model.onnx`,
    optimizerModel: `${folder}optimizer_model.onnx`,
  };
  return ort.TrainingSession.create(files, { executionProviders: ["wasm"] });
}

function feedsOf(session, input, labels, begin, end, size) {
  const picture = 3 * size * size;
  const [pictures, answers] = session.trainingInputNames;
  return {
    [pictures]: new ort.Tensor("float32", input.subarray(begin * picture, end * picture), [end - begin, 3, size, size]),
    [answers]: new ort.Tensor("int64", BigInt64Array.from(labels.slice(begin, end), BigInt), [end - begin]),
  };
}
