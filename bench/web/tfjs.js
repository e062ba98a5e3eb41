import { channelsLast, loadScript, MODELS, now, PEERS, picturesOf, trainingLoop } from "./common.js";

/**
 * TensorFlow.js 4.22: the same network in its fused ops, once per picture; the head, or with `block` the last block too, is trained by its Adam.
 *
 * @param {import("./common.js").Job} job options.backend: "wasm" or "cpu"
 */
export async function train(job) {
  const { pixels, labels } = await picturesOf(job);
  const started = now();
  const network = await open(job);
  const loaded = now();
  const kept = [];
  for (const picture of pixels) kept.push(await run(picture, job.size, (x) => (job.block ? network.prefix(x) : network.tail(network.prefix(x)))));
  const inputs = tf.concat(kept);
  const embedded = now();
  try {
    const { addedMs, ...measured } = await trainTail(network, inputs, labels, job);
    const totalMs = now() - started + addedMs;
    const features = job.block ? null : [...(await kept[0].data())];
    return { loadMs: loaded - started, embedMs: embedded - loaded, totalMs, ...measured, features };
  } catch (error) {
    return { unsupported: String(error.message ?? error).split("\n")[0] };
  }
}

/** Milliseconds per picture, one after another. @param {import("./common.js").Job} job */
export async function forward(job) {
  const { pixels } = await picturesOf(job);
  const network = await open(job);
  const features = async (picture) => (await run(picture, job.size, (x) => network.tail(network.prefix(x)))).dispose();
  for (const picture of pixels.slice(0, job.warmUp)) await features(picture);
  const measured = pixels.slice(job.warmUp);
  const before = now();
  for (const picture of measured) await features(picture);
  return { pictureMs: (now() - before) / measured.length };
}

async function open(job) {
  const { backend } = job.options;
  await loadScript(`${PEERS}tfjs/tf.min.js`);
  await loadScript(`${PEERS}tfjs/tf-backend-${backend}.min.js`);
  if (backend === "wasm") {
    tf.wasm.setWasmPaths(`${PEERS}tfjs/`);
    tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", job.threads > 1);
    tf.wasm.setThreadsCount(job.threads);
  }
  const [values, shapes] = await Promise.all([fetch(`${MODELS}tfjs.bin`), fetch(`${MODELS}tfjs.json`)]);
  const [content, description] = [await values.arrayBuffer(), await shapes.json()];
  await tf.setBackend(backend);
  await tf.ready();
  return networkOf(description, content);
}

/** The network's parts as functions. description: {stem, blocks, head}, each convolution {filter, bias: {shape, offset}}. */
function networkOf({ stem, blocks, head }, content) {
  const tensor = ({ shape, offset }) => tf.tensor(new Float32Array(content, offset, shape.reduce((a, b) => a * b, 1)), shape);
  const convolution = (one) => one && { ...one, filter: tensor(one.filter), bias: tensor(one.bias) };
  const parts = blocks.map((block) => ({ ...block, expand: convolution(block.expand), depthwise: convolution(block.depthwise), project: convolution(block.project) }));
  const [first, last, top] = [convolution(stem), parts.at(-1), convolution(head)];
  return {
    last,
    top,
    prefix: (x) => parts.slice(0, -1).reduce((y, block) => blockOf(y, block, fused), fused.convolve(x, first, 2, "relu6")),
    tail: (x, ops = fused) => tf.mean(ops.convolve(blockOf(x, last, ops), top, 1, "relu6"), [1, 2]),
  };
}

function blockOf(x, { expand, depthwise, project, stride, residual }, ops) {
  let y = expand ? ops.convolve(x, expand, 1, "relu6") : x;
  y = ops.depthwise(y, depthwise, stride);
  y = ops.convolve(y, project, 1, "linear");
  return residual ? tf.add(x, y) : y;
}

const fused = {
  convolve: (x, { filter, bias }, strides, activation) => tf.fused.conv2d({ x, filter, strides, pad: "same", bias, activation }),
  depthwise: (x, { filter, bias }, strides) => tf.fused.depthwiseConv2d({ x, filter, strides, pad: "same", bias, activation: "relu6" }),
};

const differentiable = {
  convolve: (x, { filter, bias }, strides, activation) => {
    const y = tf.add(tf.conv2d(x, filter, strides, "same"), bias);
    return activation === "relu6" ? tf.relu6(y) : y;
  },
  depthwise: (x, { filter, bias }, strides) => tf.relu6(tf.add(tf.depthwiseConv2d(x, filter, strides, "same"), bias)),
};

async function run(picture, size, network) {
  const result = tf.tidy(() => network(tf.tensor4d(channelsLast(picture), [1, size, size, 3])));
  await result.data();
  return result;
}

function trainTail(network, inputs, labels, job) {
  const answers = tf.cast(tf.oneHot(tf.tensor1d(labels, "int32"), job.classes), "float32");
  const [weight, bias] = [tf.variable(tf.zeros([1280, job.classes])), tf.variable(tf.zeros([job.classes]))];
  if (job.block) makeTrainable(network);
  const optimizer = tf.train.adam(job.learningRate);
  return trainingLoop(job, async (begin, end) => {
    const loss = optimizer.minimize(
      () => tf.tidy(() => {
        const x = tf.slice(inputs, begin, end - begin);
        const logits = tf.add(tf.matMul(job.block ? network.tail(x, differentiable) : x, weight), bias);
        return tf.losses.softmaxCrossEntropy(tf.slice(answers, begin, end - begin), logits);
      }),
      true,
    );
    const [value] = await loss.data();
    loss.dispose();
    return value;
  });
}

function makeTrainable({ last, top }) {
  for (const convolution of [last.expand, last.depthwise, last.project, top]) {
    convolution.filter = tf.variable(convolution.filter);
    convolution.bias = tf.variable(convolution.bias);
  }
}
