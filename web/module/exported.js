import { invalidInput, PagetrainError } from "../shared/errors.js";
import { openedPicture } from "./arguments.js";

/**
 * Whether an exported file answers as this page does.
 *
 * @typedef {import("../shared/protocol.js").Prediction} Prediction
 * @typedef {{file: Blob | (() => Promise<Blob>), key?: string}} Asked   key: that `add` told, for a picture that is in; then it is not embedded again
 * @typedef {{onProgress?: (progress: {done: number, total: number}) => void, signal?: AbortSignal}} CheckOptions
 * @typedef {{index: number, here: Prediction[], there: Prediction[]}} Differing   of the picture at `index`: what the page says, what the file says
 * @typedef {import("../shared/protocol.js").OpenedExport & {pictures: number, same: number, largest: number, tolerance: number,
 *   differing: Differing[], file: Blob, sha256: string, checked: Date}} Checked   largest: difference of a probability;
 *   file: where nothing differs, with the receipt in its metadata; sha256: of that file, else empty
 * @typedef {CheckOptions & {worker: import("./living_worker.js").LivingWorker, records: import("./records.js").Records,
 *   features: (picture: Blob) => Promise<{key: string, hash: string, features: Float32Array}>}} Makers
 */

/**
 * The largest difference of a probability at which two answers are the same. Of a tensor: float32 is summed in another order by the kernels of the
 * page's embedding workers and those that run the file, 2e-6 measured, and a wrong weight, label or step of the preparation differs by far more than 1e-4.
 * Of a picture: the resize inside the file gives a few pixels one gray level beside Pillow's, 4e-4 measured on photos of 12 megapixels.
 */
export const TOLERANCES = Object.freeze({ tensor: 1e-4, picture: 2e-3 });

/** @param {Blob} file @param {Asked[]} pictures @param {Makers} makers @returns {Promise<Checked>} */
export async function checkExported(file, pictures, makers) {
  const { worker, records: { labels, noneBelow }, signal } = makers;
  const asked = pictures.map(({ file: source, key }) => ({ source: checkedSource(source), key }));
  if (asked.length === 0) throw invalidInput("checkExported needs a picture at least: without one nothing can be compared.");
  signal?.throwIfAborted();
  const opened = await worker.call("openExported", { file });
  let facts = /** @type {object | null} */ (null);
  try {
    if (!sameNames(opened, { labels, noneBelow })) {
      throw new PagetrainError("FormatError", "The exported file has other class names or another threshold than the page: export it again.");
    }
    const compared = await compare(opened, asked, makers);
    const checked = new Date();
    if (compared.differing.length > 0) return { ...opened, ...compared, checked, file, sha256: "" };
    facts = factsOf(compared, checked);
    const { entry, sha256 } = await worker.call("endExported", { facts });
    return { ...opened, ...compared, checked, file: new Blob([file, entry], { type: file.type }), sha256 };
  } finally {
    if (!facts) worker.call("endExported", { facts: null }).catch(() => {});
  }
}

/**
 * Picture by picture; those whose files cannot be read any more are left out, unless that is all of them.
 *
 * @param {{pictureInput: boolean}} opened @param {{source: import("./arguments.js").PictureSource, key?: string}[]} asked @param {Makers} makers
 */
async function compare({ pictureInput }, asked, makers) {
  const { onProgress = () => {}, signal } = makers;
  const tolerance = pictureInput ? TOLERANCES.picture : TOLERANCES.tensor;
  const compared = { pictures: 0, same: 0, largest: 0, tolerance, differing: /** @type {Differing[]} */ ([]) };
  for (const [index, one] of asked.entries()) {
    signal?.throwIfAborted();
    const answers = await answersOf(one, makers).catch((error) => unlessLast(error, compared.pictures === 0 && index === asked.length - 1));
    if (answers) note(compared, { index, ...answers });
    onProgress({ done: index + 1, total: asked.length });
  }
  return compared;
}

/** @param {{source: import("./arguments.js").PictureSource, key?: string}} one @param {Makers} makers */
async function answersOf({ source, key }, { worker, records, features }) {
  const picture = /** @type {Blob} */ (await openedPicture(source));
  const { key: asked, features: row, hash } = (key && records.find(key)) || (await features(picture));
  const here = await worker.call("answer", { key: asked, features: row, hash });
  const there = await worker.call("askExported", { picture });
  return { here, there: [...there].sort((a, b) => b.probability - a.probability) };
}

function unlessLast(error, isLast) {
  if (error.kind !== "PictureError" || isLast) throw error;
  return null;
}

function note(compared, { index, here, there }) {
  const difference = differenceOf(here, there);
  compared.pictures += 1;
  compared.largest = Math.max(compared.largest, difference); // NaN stays NaN
  if (difference <= compared.tolerance) compared.same += 1;
  else compared.differing.push({ index, here, there });
}

/** In the words of the file's metadata. */
function factsOf({ pictures, same, largest, tolerance }, checked) {
  return { pictures, same, largest_difference: largest, tolerance, checked: checked.toISOString() };
}

/** max |here - there| over all classes; a class that only one of the two knows counts as 1. @param {Prediction[]} here @param {Prediction[]} there */
export function differenceOf(here, there) {
  const theirs = new Map(there.map(({ label, probability }) => [label, probability]));
  if (theirs.size !== here.length) return 1;
  return Math.max(...here.map(({ label, probability }) => (theirs.has(label) ? Math.abs(probability - /** @type {number} */ (theirs.get(label))) : 1)));
}

function sameNames(a, b) {
  return a.noneBelow === b.noneBelow && JSON.stringify(a.labels) === JSON.stringify(b.labels);
}

function checkedSource(picture) {
  if (picture instanceof Blob || typeof picture === "function") return picture;
  throw invalidInput("checkExported takes pictures as files: {file: Blob} or {file: () => Promise<Blob>}.");
}
