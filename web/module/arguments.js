import { invalidInput } from "../shared/errors.js";

/** Checks of what callers hand in; each raises PagetrainError "InvalidInputError". What a label or a seed may be is Python's to say. */

/** @param {unknown} labels @returns {string[]} */
export function checkedLabels(labels) {
  if (!Array.isArray(labels)) throw invalidInput(`setClasses takes an array of names, got ${nameOf(labels)}.`);
  return labels.map((label) => checkedString(label, "a class name"));
}

/** @param {unknown} value @param {string} what @returns {string} */
export function checkedString(value, what) {
  if (typeof value !== "string") throw invalidInput(`Expected ${what} as a string, got ${nameOf(value)}.`);
  return value;
}

/** @param {unknown} file @returns {Blob} */
export function checkedFile(file) {
  if (!(file instanceof Blob)) throw invalidInput(`Expected a picture as a Blob or File, got ${nameOf(file)}.`);
  return file;
}

/** Items whose labels are classes. @param {unknown} items @param {string[]} labels @returns {import("../shared/protocol.js").LabelledFile[]} */
export function checkedItems(items, labels) {
  if (!Array.isArray(items)) throw invalidInput(`Expected an array of {label, file}, got ${nameOf(items)}.`);
  return items.map((item) => {
    const label = checkedString(item?.label, "the label of each item");
    if (!labels.includes(label)) throw invalidInput(`There is no class ${JSON.stringify(label)}: call setClasses first (classes: ${labels.join(", ") || "none"}).`);
    return { label, file: checkedFile(item.file) };
  });
}

const TRAIN_NUMBERS = [
  "epochs", "batchSize", "learningRate", "validation", "seed", "warmup", "gradientAccumulationSteps", "maxGradNorm", "patience", "labelSmoothing",
];
const TRAIN_CHOICES = ["schedule", "monitor", "classWeights"]; // their values are Python's to judge

/** @param {Record<string, unknown>} options @returns {import("../shared/protocol.js").TrainOptions} only what was given */
export function checkedTrainOptions(options) {
  const given = [...TRAIN_NUMBERS, ...TRAIN_CHOICES].filter((name) => options[name] !== undefined);
  for (const name of given) {
    if (TRAIN_NUMBERS.includes(name) && !Number.isFinite(options[name])) {
      throw invalidInput(`train: ${name} must be a number, got ${nameOf(options[name])}.`);
    }
  }
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

function nameOf(value) {
  return value === null || typeof value !== "object" ? String(value) : (value.constructor?.name ?? "an object");
}
