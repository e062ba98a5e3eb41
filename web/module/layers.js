import { invalidInput } from "../shared/errors.js";
import { programIn } from "./embedding.js";

/**
 * Which layers are trained: those that the manifest itself describes, or another choice that it names, whose graphs lie in one file beside it.
 * All choices have the same parameters.
 *
 * @typedef {import("./parts.js").Parts} Parts
 */
export const LAST_LAYER = "last-layer";

/** The choices that there are: those whose file is in the set. @param {{layers?: Record<string, any>, files?: Record<string, any>}} manifest @returns {string[]} */
export function layersIn({ layers = {}, files = {} }) {
  return [LAST_LAYER, ...Object.keys(layers).filter((name) => Object.hasOwn(files, name))];
}

/** @param {unknown} layers @param {string[]} known @returns {string} */
export function checkedLayers(layers, known) {
  if (typeof layers !== "string" || !known.includes(layers)) throw invalidInput(`setLayers: there is no choice ${JSON.stringify(layers)}; there are ${known.join(", ")}.`);
  return layers;
}

/** The parts with which workers train those layers: slices of what was fetched, read only now. @param {Parts} parts @param {string} layers @returns {Promise<Parts>} */
export async function partsFor(parts, layers) {
  if (layers === LAST_LAYER) return parts;
  const pieces = /** @type {Record<string, Blob>} */ ({});
  for (const [name, { offset, bytes }] of Object.entries(JSON.parse(parts.manifest).layers[layers])) {
    pieces[name] = parts.artifacts[layers].slice(offset, offset + bytes);
  }
  const artifacts = { ...pieces, parameters: parts.artifacts.parameters };
  const embedding = parts.embedding && pieces.embedding ? { ...parts.embedding, ...(await programIn(pieces.embedding)) } : null;
  return { ...parts, manifest: await pieces.manifest.text(), artifacts, embedding };
}
