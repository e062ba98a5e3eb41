import { invalidInput } from "../shared/errors.js";
import { artifactFiles, forgetLists, runtimeFiles } from "./file_lists.js";
import { fetchAll } from "./file_store.js";

/**
 * Everything a worker is made of. It stays in the page (as blobs and compiled modules: nothing is copied to start one worker more).
 *
 * @typedef {{workerText: Blob, runtime: import("../shared/protocol.js").RuntimeFile[], manifest: string, artifacts: Record<string, Blob>}} Parts
 */

/**
 * Fetches runtime/ beside pagetrain.js and the artifacts; what a failed call before this one has fetched is not fetched again.
 *
 * @param {string | URL} artifacts folder, relative to the document
 * @param {(progress: import("./file_store.js").FileProgress) => void} onProgress @param {AbortSignal} [signal]
 * @returns {Promise<Parts>}
 */
export async function fetchParts(artifacts, onProgress, signal) {
  const folders = [new URL("../runtime/", import.meta.url), folderOf(artifacts)];
  try {
    const [runtime, model] = await Promise.all([runtimeFiles(folders[0], signal), artifactFiles(folders[1], signal)]);
    const [contents, modelFiles] = await Promise.all([fetchAll(runtime, onProgress, signal), fetchAll(model.files, onProgress, signal)]);
    const { worker, ...others } = contents;
    const files = runtime.filter(({ name }) => name in others).map(({ name, path }) => ({ path, content: others[name] }));
    return { workerText: /** @type {Blob} */ (worker), runtime: files, manifest: model.manifest, artifacts: /** @type {any} */ (modelFiles) };
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
