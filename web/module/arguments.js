import { invalidInput, PagetrainError } from "../shared/errors.js";

/**
 * Checks of what callers hand in; each raises PagetrainError "InvalidInputError". What a label or a seed may be is Python's to say.
 *
 * @typedef {import("../shared/protocol.js").Picture} Picture
 * @typedef {{width: number, height: number, data: Uint8Array | Uint8ClampedArray}} GivenPixels   RGB or RGBA; an ImageData, say
 * @typedef {{label: string, file?: Blob, pixels?: GivenPixels, open?: () => Promise<Blob>, name?: string, key?: string, group?: string}} LabelledPicture
 *   a file, or pixels without one, or a function that gets the file when its turn comes, so that not all of them need to be in memory; group: a name
 *   shared by pictures that were taken in one go, such as frames of a film: they are held out together, as near-duplicates are
 * @typedef {Picture | (() => Promise<Blob>)} PictureSource
 * @typedef {{label: string, picture: PictureSource, name: string, key?: string, group?: string}} CheckedItem
 */

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
  if (!(file instanceof Blob)) throw invalidInput(`Expected a file as a Blob or File, got ${nameOf(file)}.`);
  return file;
}

/** @param {any} picture @returns {Picture} */
export function checkedPicture(picture) {
  if (picture instanceof Blob) return picture;
  if (picture?.data === undefined) throw invalidInput(`Expected a picture as a Blob or File, or as {width, height, data}, got ${nameOf(picture)}.`);
  const { width, height, data } = picture;
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray)) throw invalidInput(`Pixels need \`data\` as bytes (Uint8Array or Uint8ClampedArray), got ${nameOf(data)}.`);
  const channels = data.length / (width * height);
  if (!(Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && height > 0 && (channels === 3 || channels === 4))) {
    throw invalidInput(`Pixels of ${width} x ${height} need 3 (RGB) or 4 (RGBA) bytes each, got ${data.length} bytes.`);
  }
  return { width, height, channels, data };
}

/** The picture, opened if that is still to be done; what does not open is told as a picture that cannot be used. @param {PictureSource} source @returns {Promise<Picture>} */
export async function openedPicture(source) {
  if (typeof source !== "function") return source;
  try {
    return checkedPicture(await source());
  } catch (error) {
    throw new PagetrainError("PictureError", `The file could not be opened (${error.message}).`, { code: "unreadable" });
  }
}

/** Items whose labels are classes. @param {unknown} items @param {string[]} labels @returns {CheckedItem[]} */
export function checkedItems(items, labels) {
  if (!Array.isArray(items)) throw invalidInput(`Expected an array of {label, file} or {label, pixels}, got ${nameOf(items)}.`);
  return items.map((item) => {
    const label = checkedClass(item?.label, labels);
    const picture = typeof item.open === "function" ? item.open : checkedPicture(item.file ?? item.pixels);
    const group = item.group === undefined ? undefined : checkedString(item.group, "the group of a picture");
    return { label, picture, group, key: item.key, name: item.name === undefined ? nameOfFile(picture) : checkedString(item.name, "the name of a picture") };
  });
}

/** @param {unknown} label @param {string[]} labels @returns {string} */
export function checkedClass(label, labels) {
  const name = checkedString(label, "the label of each item");
  if (!labels.includes(name)) throw invalidInput(`There is no class ${JSON.stringify(name)}: call setClasses first (classes: ${labels.join(", ") || "none"}).`);
  return name;
}

/** @param {any} augment @returns {import("../shared/protocol.js").Augment} only what was given; which there are is Python's to say */
export function checkedAugment(augment) {
  const given = Object.entries(augment ?? {}).filter(([, value]) => value !== undefined);
  const wrong = given.find(([, value]) => typeof value !== "boolean");
  if (wrong) throw invalidInput(`augment: ${wrong[0]} must be true or false, got ${nameOf(wrong[1])}.`);
  return Object.fromEntries(given);
}

/** @param {unknown} backend @returns {import("../shared/protocol.js").Backend} */
export function checkedBackend(backend) {
  if (backend !== "auto" && backend !== "numpy") throw invalidInput(`load: backend must be "auto" or "numpy", got ${nameOf(backend)}.`);
  return backend;
}

const TRAIN_NUMBERS = [
  "epochs", "batchSize", "learningRate", "validation", "folds", "seed", "warmup", "gradientAccumulationSteps", "maxGradNorm", "patience", "labelSmoothing",
];
const TRAIN_CHOICES = ["schedule", "monitor", "classWeights", "augment"]; // their values are Python's to judge

/** @param {Record<string, unknown>} options @returns {import("../shared/protocol.js").TrainOptions} only what was given */
export function checkedTrainOptions(options) {
  const known = [...TRAIN_NUMBERS, ...TRAIN_CHOICES];
  const given = Object.keys(options).filter((name) => options[name] !== undefined);
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidInput(`train: there is no option ${JSON.stringify(unknown)}; there are ${known.join(", ")}, onProgress and signal.`);
  for (const name of given) {
    if (TRAIN_NUMBERS.includes(name) && !Number.isFinite(options[name])) {
      throw invalidInput(`train: ${name} must be a number, got ${nameOf(options[name])}.`);
    }
  }
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

function nameOfFile(picture) {
  return picture instanceof File ? picture.name : "";
}

function nameOf(value) {
  return value === null || typeof value !== "object" ? String(value) : (value.constructor?.name ?? "an object");
}
