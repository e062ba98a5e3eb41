import { PagetrainError } from "../shared/errors.js";
import { transferText } from "./transfer.js";

/**
 * What has to be fetched: the runtime's own list and the manifest of the artifacts (both versioned; unknown keys are ignored).
 *
 * @typedef {import("./transfer.js").WantedFile} WantedFile
 */

const RUNTIME = { format: "pagetrain-runtime", version: 1 };
const ARTIFACTS = { format: "pagetrain-artifacts", version: 1 };
const MODEL_FILES = ["training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model", "parameters"];
const OPTIONAL_MODEL_FILES = ["embedding"];
const WASM_FILES = new Set(["wasm", "jpeg"]);

/** The texts that were read, by url: a sealed page cannot ask again. @type {Map<string, string>} */
const texts = new Map();

/** Forget the lists, so that the next `load` asks for them anew. */
export function forgetLists() {
  texts.clear();
}

/** @param {URL} folder @param {AbortSignal} [signal] @returns {Promise<(WantedFile & {path: string})[]>} */
export async function runtimeFiles(folder, signal) {
  const { list, url } = await readList("files.json", folder, RUNTIME, signal);
  return list.files.map(({ name, path, bytes, sha256, stage }) =>
    ({ name, path, url: inside(folder, path, url), bytes, sha256, stage, wasm: WASM_FILES.has(name) }));
}

/** @param {URL} folder @param {AbortSignal} [signal] @returns {Promise<{manifest: string, files: WantedFile[]}>} */
export async function artifactFiles(folder, signal) {
  const { list, text, url } = await readList("manifest.json", folder, ARTIFACTS, signal);
  const optional = [...OPTIONAL_MODEL_FILES, ...Object.keys(list.layers ?? {})];
  const names = [...MODEL_FILES, ...optional.filter((name) => list.files?.[name])];
  const files = names.map((name) => {
    if (!list.files?.[name]) throw listError(url, `it names no file "${name}"`);
    const { path, bytes, sha256 } = list.files[name];
    return { name, url: inside(folder, path, url), bytes, sha256, stage: "model" };
  });
  return { manifest: text, files };
}

async function readList(name, folder, { format, version }, signal) {
  const url = new URL(name, folder).href;
  const text = texts.get(url) ?? (await transferText(url, signal));
  const list = parse(url, text);
  if (list.format !== format) throw listError(url, `its format is ${JSON.stringify(list.format)}, expected "${format}"`);
  if (!(list.version <= version)) throw listError(url, `its version is ${list.version}, this build reads up to ${version}`);
  texts.set(url, text);
  return { list, text, url };
}

function parse(url, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw listError(url, `it is not JSON (${error.message})`);
  }
}

/** The url of `path`, which must be a plain file below `folder`. */
function inside(folder, path, list) {
  const url = new URL(path, folder);
  if (!url.href.startsWith(folder.href) || url.search || url.hash) throw listError(list, `its path ${JSON.stringify(path)} leads out of its folder`);
  return url.href;
}

function listError(url, cause) {
  const action = "Check the address, and that the site was copied whole";
  return new PagetrainError("load", `${url} cannot be used: ${cause}. ${action}.`, { code: "list", detail: { file: url, status: 200, cause, action } });
}
