import { trainingLoop } from "./common.js";

const FIRST_DECAY = 0.9;
const SECOND_DECAY = 0.999;
const EPSILON = 1e-8;

/**
 * A dense softmax layer on cached features, trained with Adam in plain JavaScript: what people write on top of an inference session.
 *
 * @param {Float32Array} features (N, width) @param {number[]} labels @param {number} width @param {import("./common.js").Job} job
 */
export function trainHead(features, labels, width, job) {
  const size = (width + 1) * job.classes; // the last row is the bias
  const [weights, gradient, mean, square] = Array.from({ length: 4 }, () => new Float32Array(size));
  let count = 0;
  return trainingLoop(job, async (begin, end) => {
    gradient.fill(0);
    let loss = 0;
    for (let n = begin; n < end; n++) {
      const row = features.subarray(n * width, (n + 1) * width);
      loss += addGradient(row, labels[n], weights, gradient, job.classes) / (end - begin);
    }
    count += 1;
    const rate = (job.learningRate * Math.sqrt(1 - SECOND_DECAY ** count)) / (1 - FIRST_DECAY ** count);
    for (let i = 0; i < size; i++) {
      const g = gradient[i] / (end - begin);
      mean[i] += (1 - FIRST_DECAY) * (g - mean[i]);
      square[i] += (1 - SECOND_DECAY) * (g * g - square[i]);
      weights[i] -= (rate * mean[i]) / (Math.sqrt(square[i]) + EPSILON);
    }
    return loss;
  });
}

/** Adds one picture's gradient of the cross entropy; returns its loss. */
function addGradient(row, label, weights, gradient, classes) {
  const width = row.length;
  const scores = new Float64Array(weights.subarray(width * classes));
  for (let d = 0; d < width; d++) {
    for (let c = 0; c < classes; c++) scores[c] += row[d] * weights[d * classes + c];
  }
  const largest = Math.max(...scores);
  const sum = scores.reduce((total, score) => total + Math.exp(score - largest), 0);
  const wrong = Float64Array.from(scores, (score, c) => Math.exp(score - largest) / sum - Number(c === label));
  for (let d = 0; d < width; d++) {
    for (let c = 0; c < classes; c++) gradient[d * classes + c] += row[d] * wrong[c];
  }
  for (let c = 0; c < classes; c++) gradient[width * classes + c] += wrong[c];
  return largest + Math.log(sum) - scores[label];
}
