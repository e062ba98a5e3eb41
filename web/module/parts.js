import { invalidInput } from "../shared/errors.js";
import { embeddingOf } from "./embedding.js";
import { artifactFiles, forgetLists, runtimeFiles } from "./file_lists.js";
import { fetchAll } from "./file_store.js";

/**
 * Everything a worker is made of. It stays in the page (as blobs and compiled modules: nothing is copied to start one worker more).
 *
 * @typedef {{workerText: Blob, runtime: import("../shared/protocol.js").RuntimeFile[], manifest: string, artifacts: Record<string, Blob>,
 *   embedding: import("./embedding.js").Embedding | null}} Parts   embedding: what embedding workers are made of, where there can be any
 * @typedef {import("./embedding.js").Embedding} Embedding
 */

const OF_THE_PAGE = ["worker", "embedder", "relaxed-simd", "simd"]; // files of runtime/ that Python's worker does not ask for

/**
 * Fetches runtime/ beside pagetrain.js and the artifacts; what a failed call before this one has fetched is not fetched again.
 *
 * @param {string | URL} folder of the artifacts, relative to the document
 * @param {(progress: import("./file_store.js").FileProgress) => void} onProgress @param {AbortSignal} [signal]
 * @returns {Promise<Parts>}
 */
export async function fetchParts(folder, onProgress, signal) {
  const folders = [new URL("../runtime/", import.meta.url), folderOf(folder)];
  try {
    const [runtime, model] = await Promise.all([runtimeFiles(folders[0], signal), artifactFiles(folders[1], signal)]);
    const [contents, modelFiles] = await Promise.all([fetchAll(runtime, onProgress, signal), fetchAll(model.files, onProgress, signal)]);
    const files = runtime.filter(({ name }) => !OF_THE_PAGE.includes(name)).map(({ name, path }) => ({ path, content: contents[name] }));
    const artifacts = /** @type {any} */ (modelFiles);
    const embedding = await embeddingOf(contents, artifacts);
    return { workerText: /** @type {Blob} */ (contents.worker), runtime: files, manifest: model.manifest, artifacts, embedding };
  } catch (error) {
    forgetLists();
    throw error;
  }
}

function folderOf(address) {
  if (!(typeof address === "string" || address instanceof URL)) throw invalidInput("Pagetrain.load needs `artifacts`: the address of the folder.");
  const url = new URL(address, document.baseURI);
  url.pathname = url.pathname.replace(/\/*$/, "/");
  return url;
}
