/** What came with a drop, a paste or a file picker, as a flat list of files with the folders each lay in. */

import { byName } from "./by_name.js";
import { slices } from "./slices.js";

const JUNK = /^(\._.*|\.DS_Store|Thumbs\.db|desktop\.ini)$/i;
const JUNK_FOLDER = /^__MACOSX$/i;

/**
 * @typedef {{ file: import("./state.js").AnyFile, path: string[], group?: string }} Found
 *   `path`: the folders above the file, outermost first; none for a loose file; `group`: of those that were taken in one go
 * @typedef {{ name: string, code: string, zip?: string }} Lost  what could not be opened, and why; `zip`: in which zip
 * @typedef {{ found: Found[], lost?: Lost[], leftOut: number, isBurst?: boolean }} Taken  `leftOut`: files that systems put beside pictures
 */

/**
 * Reads the items of a drop; folders are walked to their ends. Call it inside the event: a DataTransfer is emptied right after.
 * @param {{ items: ArrayLike<any> }} transfer @param {() => void} [onFile] called for each file that is found @param {AbortSignal} [signal] rejects when it aborts
 * @returns {Promise<Taken>}
 */
export async function filesOfDrop(transfer, onFile = () => {}, signal) {
  const items = Array.from(transfer.items).filter((item) => item.kind === "file");
  const files = items.map((item) => item.getAsFile());
  const entries = entriesOf(items, files, signal);
  const all = [];
  const breathe = slices();
  for (const [index, entry] of (await entries).entries()) {
    for await (const one of isLoose(files[index], entry) ? [{ file: files[index], path: [] }] : walk(entry, [])) {
      all.push(one);
      onFile();
      await breathe();
      signal?.throwIfAborted();
    }
  }
  return sift(await byName(all));
}

/**
 * What each item is on the disk; null for a file, or for what is on no disk. Chromium takes 0.2 ms to answer for one of them, inside the event, where
 * the page stands still; but it puts all items of a drop into the root of one file system under the names of their files, and that can be asked later.
 * @returns {Promise<any[]>}
 */
async function entriesOf(items, files, signal) {
  const entryOf = (item) => item.webkitGetAsEntry?.() ?? null;
  const [first, last] = [items.at(0), items.at(-1)].map((item) => item && entryOf(item)?.filesystem);
  const together = items.length > 1 && first && first === last && files.every((file) => file);
  return together ? foldersIn(first.root, files, signal) : items.map(entryOf);
}

/** The folder that has the name of each file; null where that is a file. */
async function foldersIn(root, files, signal) {
  const asked = [];
  const breathe = slices();
  for (const { name } of files) {
    asked.push(new Promise((resolve) => root.getDirectory(name, {}, resolve, () => resolve(null))));
    await breathe();
    signal?.throwIfAborted();
  }
  return Promise.all(asked);
}

function isLoose(file, entry) {
  return file !== null && !entry?.isDirectory;
}

/** Files of a picker; a folder picker writes where each lay into `webkitRelativePath`. */
export async function filesOfPicker(files) {
  return sift(await byName([...files].map((file) => ({ file, path: file.webkitRelativePath.split("/").slice(0, -1) }))));
}

export function hasFiles(transfer) {
  return [...transfer.types].includes("Files");
}

/** What lies in a folder, one after another. @returns {AsyncGenerator<Found | { lost: Lost }>} */
async function* walk(entry, path) {
  try {
    if (entry.isFile) yield { file: await fileOf(entry), path };
    else yield* walkInside(entry, [...path, entry.name]);
  } catch {
    yield { lost: { name: entry.name, code: entry.isDirectory ? "closed-folder" : "unreadable" } };
  }
}

/** `readEntries` answers a hundred at a time, until none is left. */
async function* walkInside(directory, path) {
  const reader = directory.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const entry of some) yield* walk(entry, path);
  }
}

function fileOf(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** @param {any[]} list what was found, among it what could not be opened */
function sift(list) {
  const files = list.filter(({ file }) => file);
  const found = files.filter((one) => !isJunk(one));
  return { found, lost: list.flatMap(({ lost }) => lost ?? []), leftOut: files.length - found.length };
}

/** What systems put beside pictures. @param {Found} one */
export function isJunk({ file, path }) {
  return JUNK.test(file.name) || path.some((part) => JUNK_FOLDER.test(part));
}
