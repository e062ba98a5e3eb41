/**
 * The JavaScript that runs a saved model with onnxruntime-web. Its session does not tell a file's metadata, so names, threshold and preparation are
 * written out, as they stand in the file.
 */

/**
 * @param {{ file: string, pictureInput: boolean, labels: string[], noneBelow: number | null, input: string, preprocessing: string }} about
 *   preprocessing: JSON, as in the file
 */
export function javascript({ file, pictureInput, labels, noneBelow, input, preprocessing }) {
  const steps = Object.fromEntries(JSON.parse(preprocessing).steps.map((step) => [step.op, step]));
  return `import * as ort from "onnxruntime-web";

const labels = ${JSON.stringify(labels)};
const noneBelow = ${noneBelow ?? 0};
const session = await ort.InferenceSession.create(${JSON.stringify(file)});
${pictureInput ? AS_IT_IS : prepared(steps)}
async function pixelsOf(picture) {
  const bitmap = await createImageBitmap(picture, { colorSpaceConversion: "none" });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.fillStyle = "rgb(${steps["to-rgb"].background.join(" ")})";
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height); // red, green, blue, and an alpha that is left out
  return { width, height, rgb: new Uint8Array(width * height * 3).map((_, i) => data[i + Math.floor(i / 3)]) };
}

/** picture: a File or Blob, from an <input type="file">, say. */
${EXPORT} async function predict(picture) {
  const { probabilities } = await session.run({ ${JSON.stringify(input)}: prepare(await pixelsOf(picture)) });
  const answers = labels.map((label, index) => ({ label, probability: probabilities.data[index] }));
  answers.sort((a, b) => b.probability - a.probability);
  return { best: answers[0].probability < noneBelow ? "none of these" : answers[0].label, answers };
}`;
}

const EXPORT = "export"; // not at the beginning of a line of this file, where the build would take it for one of ours

const AS_IT_IS = `
function prepare({ width, height, rgb }) { // the model itself resizes, crops and normalises
  return new ort.Tensor("uint8", rgb, [height, width, 3]);
}
`;

const KERNELS = {
  bicubic: { reach: 2, code: "x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2" },
  bilinear: { reach: 1, code: "1 - x" },
};

/** Sizes and kernel as the steps say; for a resampling that is not among KERNELS there is no code. */
function prepared(steps) {
  const { "resize-shortest": { size, resample }, "center-crop": { width, height }, normalize: { mean, std }, layout: { order } } = steps;
  const { reach, code } = KERNELS[resample];
  return `
const kernel = (x) => (x < ${reach} ? ${code} : 0);
const round = (x) => (x % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

// For each pixel of the crop: which pixels of a side go into it, and how much of each. As Pillow resizes: ${resample}, antialiased.
function sharesOf(side, short, crop) {
  const resized = Math.max(round((side * ${size}) / short), crop);
  const [scale, left] = [side / resized, Math.floor((resized - crop) / 2)];
  const wide = Math.max(scale, 1);
  return Array.from({ length: crop }, (_, at) => {
    const center = (left + at + 0.5) * scale;
    const first = Math.max(0, Math.ceil(center - ${reach} * wide - 0.5));
    const end = Math.min(side, Math.floor(center + ${reach} * wide + 0.5));
    const shares = Array.from({ length: end - first }, (_, i) => kernel(Math.abs(first + i + 0.5 - center) / wide));
    const whole = shares.reduce((sum, share) => sum + share);
    return { first, shares: shares.map((share) => share / whole) };
  });
}

// Along one side, to whole levels; an array of this kind holds them to 0 to 255.
function resize(from, count, columns, step, stride) {
  const to = new Uint8ClampedArray(count * columns.length * 3);
  for (let row = 0; row < count; row += 1) {
    for (const [at, { first, shares }] of columns.entries()) {
      for (let channel = 0; channel < 3; channel += 1) {
        let sum = 0;
        for (const [i, share] of shares.entries()) sum += share * from[row * stride + (first + i) * step + channel];
        to[(row * columns.length + at) * 3 + channel] = Math.floor(sum + 0.5);
      }
    }
  }
  return to;
}

function prepare({ width, height, rgb }) {
  const short = Math.min(width, height);
  const across = resize(rgb, height, sharesOf(width, short, ${width}), 3, width * 3);
  const seen = resize(across, ${width}, sharesOf(height, short, ${height}), ${width * 3}, 3); // column by column
  const [mean, std] = [${JSON.stringify(mean)}, ${JSON.stringify(std)}];
  const tensor = new Float32Array(seen.length);
  for (let x = 0; x < ${width}; x += 1) {
    for (let y = 0; y < ${height}; y += 1) {
      for (let channel = 0; channel < 3; channel += 1) {
        const level = seen[(x * ${height} + y) * 3 + channel];
        tensor[${order === "NCHW" ? `(channel * ${height} + y) * ${width} + x` : `(y * ${width} + x) * 3 + channel`}] = (level - mean[channel]) / std[channel];
      }
    }
  }
  return new ort.Tensor("float32", tensor, ${order === "NCHW" ? `[1, 3, ${height}, ${width}]` : `[1, ${height}, ${width}, 3]`});
}
`;
}
