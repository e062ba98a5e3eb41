import { PagetrainError } from "../shared/errors.js";
import { keptContent, noteFetched } from "./kept_files.js";

/**
 * One file on its way from the server: read as a stream, its length and hash checked.
 *
 * @typedef {{name: string, url: string, bytes: number, sha256: string, stage: string, wasm?: boolean}} WantedFile
 *   wasm: compile it and keep the module, not the bytes.
 */

const ATTEMPTS = 3; // of a request that got no answer at all
const PAUSE_MS = 300; // before the second attempt; doubled before the third
const SILENCE_MS = 30_000; // without a byte: the connection stands, but nothing comes any more

/**
 * The checked content of `file`, kept by an earlier visit or fetched; `onBytes(loaded)` as it comes. A file whose hash differs is asked for once more past the browser's cache,
 * because a stale copy there is the usual reason. Raises PagetrainError "load".
 *
 * @param {WantedFile} file @param {(loaded: number) => void} onBytes @param {AbortSignal} [signal]
 * @returns {Promise<Blob | WebAssembly.Module>}
 */
export async function transfer(file, onBytes, signal) {
  const kept = await keptContent(file);
  if (kept) {
    onBytes(file.bytes);
    return kept;
  }
  const { bytes, compiled } = await receiveChecked(file, ["default", "reload"], onBytes, signal);
  const content = new Blob([bytes]);
  noteFetched(file, content);
  return file.wasm ? (await compiled) ?? compile(file, bytes) : content;
}

/**
 * The same for a file that is only to be kept: asked for in these ways of using the browser's cache, one after the other, until its hash is right.
 *
 * @param {WantedFile} file @param {RequestCache[]} caches @param {AbortSignal} [signal] @returns {Promise<Blob>}
 */
export async function fetchChecked(file, caches, signal) {
  const { bytes } = await receiveChecked(file, caches, () => {}, signal);
  return new Blob([bytes]);
}

/** Bytes of `url` as JSON text, always asked for anew. @param {string} url @param {AbortSignal} [signal] */
export async function transferText(url, signal) {
  const watch = silenceWatch({ url }, signal);
  try {
    const response = await request({ url }, "no-cache", watch.signal);
    return await response.text();
  } finally {
    watch.end();
  }
}

async function receiveChecked(file, caches, onBytes, signal) {
  for (const cache of caches) {
    const received = await receive(file, cache, onBytes, signal);
    if (received) return received;
  }
  throw loadError(file, "hash", "its content is not what the list of files says", "Reload the page; if it happens again, the site's copy is damaged");
}

/**
 * The bytes, or null if they are not the ones wanted. compiled: their module, null where the server calls them something else than wasm.
 *
 * @param {WantedFile} file @param {RequestCache} cache
 */
async function receive(file, cache, onBytes, signal) {
  const watch = silenceWatch(file, signal);
  const heard = (loaded) => {
    watch.heard();
    onBytes(loaded);
  };
  try {
    const response = await request(file, cache, watch.signal);
    const compiled = file.wasm ? compileOnTheWay(response) : null;
    const bytes = await readAll(file, response, heard, watch.signal);
    return bytes.length === file.bytes && (await hasHash(bytes, file.sha256)) ? { bytes, compiled } : null;
  } finally {
    watch.end();
  }
}

/** A signal that also aborts when nothing was heard for SILENCE_MS; the error of that is the reason. `end()` when all is here. */
function silenceWatch(file, signal) {
  const silence = new AbortController();
  const error = networkError(file, new Error(`nothing came for ${SILENCE_MS / 1000} s`));
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(error), SILENCE_MS);
  };
  heard();
  return { signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal, heard, end: () => clearTimeout(timer) };
}

/** @param {{url: string}} file @param {RequestCache} cache @param {AbortSignal} [signal] @returns {Promise<Response>} */
async function request(file, cache, signal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(file.url, { cache, signal });
      if (!response.ok) throw httpError(file, response.status);
      return response;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PagetrainError) throw error;
      if (attempt === ATTEMPTS) throw networkError(file, error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (attempt - 1)));
    }
  }
}

async function readAll(file, response, onBytes, signal) {
  const bytes = new Uint8Array(file.bytes);
  let loaded = 0;
  try {
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (loaded + value.length > bytes.length) return new Uint8Array(0); // longer than listed: not our file
      bytes.set(value, loaded);
      loaded += value.length;
      onBytes(loaded);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw networkError(file, error);
  }
  return bytes.subarray(0, loaded);
}

/** Without crypto.subtle (a page that is neither https nor localhost) only the length is checked. */
async function hasHash(bytes, sha256) {
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

/** Compiles while the bytes come, from a response of the server itself: only then does a browser keep the machine code for the next visit. */
function compileOnTheWay(response) {
  return WebAssembly.compileStreaming(response.clone()).catch(() => null);
}

async function compile(file, bytes) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw loadError(file, "wasm", `the browser refused to compile it (${error.message})`, "Use a current browser; a page with a policy must allow 'wasm-unsafe-eval'");
  }
}

function httpError(file, status) {
  const action = status === 404 ? "Check that the site was copied whole" : "Try again in a moment";
  return loadError(file, "http", `the server answered ${status}`, action, status);
}

function networkError(file, error) {
  return loadError(file, "network", `no answer from the server (${error.message})`, "Check the connection and try again");
}

/** Names file, status, cause and action. */
export function loadError(file, code, cause, action, status = 0) {
  const name = new URL(file.url).pathname.split("/").pop() || file.url;
  return new PagetrainError("load", `${name} could not be loaded: ${cause}. ${action}.`, { code, detail: { file: file.url, stage: file.stage, status, cause, action } });
}
