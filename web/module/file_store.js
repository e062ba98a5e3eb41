import { transfer } from "./transfer.js";

/**
 * The files that are here or on their way, by url and hash, for all Pagetrains of this page. What has arrived stays when another file fails,
 * so the next `load` asks for the missing ones only; and a dead worker is started again from here.
 *
 * @typedef {import("./transfer.js").WantedFile} WantedFile
 * @typedef {{content: Promise<Blob | WebAssembly.Module>, loaded: number, listeners: Set<() => void>}} Entry
 * @typedef {{stage: string, name: string, loaded: number, total: number, bytes: number}} FileProgress
 *   loaded, total: bytes of the stage; bytes: size of the file `name`, the one that just moved
 */

/** @type {Map<string, Entry>} */
const entries = new Map();
let holders = 0;

/** Keeps the store filled until as many `release` as `hold`. */
export function hold() {
  holders += 1;
}

export function release() {
  holders -= 1;
  if (holders === 0) entries.clear();
}

/**
 * The contents of all `wanted` by name; rejects with the first failure while the others go on arriving.
 *
 * @param {WantedFile[]} wanted @param {(progress: FileProgress) => void} onProgress @param {AbortSignal} [signal]
 * @returns {Promise<Record<string, Blob | WebAssembly.Module>>}
 */
export async function fetchAll(wanted, onProgress, signal) {
  const found = wanted.map((file) => ({ file, entry: entryOf(file, signal) }));
  const pairs = found.map(async ({ file, entry }) => {
    const report = () => onProgress(stageProgress(file, found));
    entry.listeners.add(report);
    try {
      report();
      return [file.name, await entry.content];
    } finally {
      entry.listeners.delete(report);
    }
  });
  return Object.fromEntries(await Promise.all(pairs));
}

/** @param {WantedFile} file @param {AbortSignal} [signal] @returns {Entry} */
function entryOf(file, signal) {
  const place = `${file.url}#${file.sha256}`;
  const present = entries.get(place);
  if (present) return present;
  const entry = /** @type {Entry} */ ({ loaded: 0, listeners: new Set() });
  const onBytes = (loaded) => {
    entry.loaded = loaded;
    entry.listeners.forEach((listener) => listener());
  };
  entry.content = transfer(file, onBytes, signal);
  entry.content.catch(() => entries.delete(place));
  entries.set(place, entry);
  return entry;
}

function stageProgress(file, found) {
  const inStage = found.filter((other) => other.file.stage === file.stage);
  const sum = (value) => inStage.reduce((total, other) => total + value(other), 0);
  return { stage: file.stage, name: file.name, loaded: sum((one) => one.entry.loaded), total: sum((one) => one.file.bytes), bytes: file.bytes };
}
