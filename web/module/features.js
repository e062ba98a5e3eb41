import { openedPicture } from "./arguments.js";
import { perceptualHash } from "./perceptual_hash.js";
import { keyOf, seenAlready } from "./seen.js";

/**
 * Key, features and hash of a picture, from whoever is there to make them: Python says what the model sees of a file, an embedding worker what the
 * frozen part makes of that, or Python where there is none. Pixels that are what the model sees need no Python.
 *
 * @param {import("./arguments.js").PictureSource} source
 * @param {{worker: import("./living_worker.js").LivingWorker, embedders: import("./embedders.js").Embedders | null,
 *   records: import("./records.js").Records}} makers
 * @returns {Promise<{key: string, hash: string, features: Float32Array}>}
 */
export async function featuresOf(source, { worker, embedders, records }) {
  const picture = await openedPicture(source);
  const seen = (await seenHere(picture, embedders, records)) ?? (await worker.call("look", { picture }));
  return { key: seen.key, hash: seen.hash, features: seen.features ?? (await embed(seen.pixels, embedders, worker)) };
}

/** @returns {Promise<import("../shared/protocol.js").Seen | null>} null where only Python can tell */
async function seenHere(picture, embedders, records) {
  const pixels = embedders && globalThis.crypto?.subtle ? seenAlready(picture, embedders.size) : null;
  if (!pixels) return null;
  const key = await keyOf(pixels, embedders.size);
  const known = records.find(key);
  return known ?? { key, pixels, hash: perceptualHash(pixels, embedders.size) };
}

/**
 * The features of what the model sees, from an embedding worker, or Python where there is none.
 *
 * @param {Uint8Array} pixels @param {import("./embedders.js").Embedders | null} embedders @param {import("./living_worker.js").LivingWorker} worker
 * @returns {Promise<Float32Array>}
 */
export async function embed(pixels, embedders, worker) {
  if (!embedders?.count) return worker.call("embed", { pixels });
  try {
    return await embedders.embed(pixels);
  } catch (error) {
    if (error.kind !== "worker") throw error;
    return worker.call("embed", { pixels });
  }
}
