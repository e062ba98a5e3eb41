import { invalidInput, PagetrainError } from "../shared/errors.js";
import { placeOf } from "./records.js";

/**
 * What a Pagetrain holds, as plain data that can be kept and given back.
 *
 * @typedef {import("../shared/protocol.js").CachedPicture} CachedPicture
 * @typedef {{name: string, fingerprint: string}} Base   of the base model, both as its manifest says; the fingerprint is another one when any of its files is
 * @typedef {{base: Base, layers: string, labels: string[], pictures: CachedPicture[], head: Uint8Array | null, noneBelow: number | null}} Contents
 *   layers: which are trained, "last-layer" or another choice; pictures: in the order they came, each {key, label, features, hash, group?}, where a
 *   picture that lies in two classes stands twice; key: of the pixels that the model sees; features: Float32Array, as long as the layers want it;
 *   hash: 16 hex digits; head: what was learnt, an ONNX Runtime checkpoint, null where nothing was; noneBelow: see setNoneBelow
 */

/**
 * The same as the records hold it. What only Python can tell, it tells later: names of classes, the length of features, the inside of the head.
 *
 * @param {any} contents @param {{base: Base, layersOffered: string[]}} here
 * @returns {{layers: string, labels: string[], head: Uint8Array | null, noneBelow: number | null, pictures: Map<string, CachedPicture>, rows: Map<string, any>}}
 */
export function checkedContents(contents, { base, layersOffered }) {
  const { layers, labels, pictures, head = null, noneBelow = null } = contents ?? {};
  checkBase(contents?.base, base);
  if (!layersOffered.includes(layers)) throw invalidInput(`restore: there is no choice of layers ${JSON.stringify(layers)}; there are ${layersOffered.join(", ")}.`);
  if (!(Array.isArray(labels) && labels.every((label) => typeof label === "string"))) throw invalidInput("restore: labels must be an array of names.");
  if (new Set(labels).size < labels.length) throw invalidInput("restore: two labels are the same.");
  if (!Array.isArray(pictures)) throw invalidInput("restore: pictures must be an array.");
  if (!(head === null || head instanceof Uint8Array)) throw invalidInput("restore: head must be a Uint8Array, or null.");
  if (!(noneBelow === null || (noneBelow >= 0 && noneBelow <= 1))) throw invalidInput(`restore: noneBelow must be a probability or null, got ${noneBelow}.`);
  const length = pictures[0]?.features?.length;
  const classes = new Set(labels);
  const placed = pictures.map((picture, index) => checkedPlaced(picture, index, { classes, length }));
  return { layers, labels: [...labels], head, noneBelow, pictures: new Map(placed.map((picture) => [placeOf(picture), picture])), rows: new Map() };
}

function checkBase(base, { name, fingerprint }) {
  if (typeof base?.name !== "string") throw invalidInput("restore: contents need base, {name, fingerprint} of the model that they belong to.");
  if (base.name === name && base.fingerprint === fingerprint) return;
  const differs = base.name !== name ? `${JSON.stringify(base.name)}, and this is ${JSON.stringify(name)}` : `another build of ${JSON.stringify(name)}`;
  throw new PagetrainError("StateError", `restore: the contents belong to ${differs} (${base.fingerprint}, and here ${fingerprint}): add the pictures again.`, { code: "base" });
}

/** @returns {CachedPicture} */
function checkedPlaced(picture, index, { classes, length }) {
  const { key, label, hash, group, features } = picture ?? {};
  const fault = (what) => invalidInput(`restore: picture ${index} ${what}.`);
  if (typeof key !== "string" || key === "") throw fault("has no key");
  if (!classes.has(label)) throw fault(`has the label ${JSON.stringify(label)}, which is not among the labels`);
  if (!/^[0-9a-f]{16}$/.test(hash)) throw fault(`needs a hash of 16 hex digits, got ${JSON.stringify(hash)}`);
  if (!(group === undefined || typeof group === "string")) throw fault("has a group that is no name");
  if (!(features instanceof Float32Array)) throw fault("has no features as a Float32Array");
  if (features.length !== length) throw fault(`has ${features.length} features, and those before it ${length}`);
  return { key, label, hash, group, features };
}
