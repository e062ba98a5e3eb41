/** What came with a drop, a paste or a file picker, as a flat list of files with the folders each lay in. */

const JUNK = /^(\._.*|\.DS_Store|Thumbs\.db|desktop\.ini)$/i;
const JUNK_FOLDER = /^__MACOSX$/i;

/**
 * @typedef {{ file: File, path: string[] }} Found  `path`: the folders above the file, outermost first; none for a loose file
 * @typedef {{ name: string, isFolder: boolean }} Lost  what the system did not open
 * @typedef {{ found: Found[], lost?: Lost[], leftOut: number }} Taken  `leftOut`: files that systems put beside pictures
 */

/**
 * Reads the items of a drop; folders are walked to their ends. Call it inside the event: a DataTransfer is emptied right after.
 * @returns {Promise<Taken>}
 */
export async function filesOfDrop(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null);
  const loose = items.map((item, index) => (entries[index] === null || entries[index].isFile ? item.getAsFile() : null));
  const lists = await Promise.all(entries.map((entry, index) => (loose[index] ? [{ file: loose[index], path: [] }] : walk(entry))));
  return sift(lists.flat());
}

/** Files of a picker; a folder picker writes where each lay into `webkitRelativePath`. */
export function filesOfPicker(files) {
  return sift([...files].map((file) => ({ file, path: file.webkitRelativePath.split("/").slice(0, -1) })));
}

export function hasFiles(transfer) {
  return [...transfer.types].includes("Files");
}

/** @returns {Promise<(Found | { lost: Lost })[]>} */
async function walk(entry, path = []) {
  try {
    if (entry.isFile) return [{ file: await fileOf(entry), path }];
    const lists = [];
    for (const inner of await entriesOf(entry)) lists.push(await walk(inner, [...path, entry.name]));
    return lists.flat();
  } catch {
    return [{ lost: { name: entry.name, isFolder: entry.isDirectory } }];
  }
}

/** `readEntries` answers a hundred at a time, until none is left. */
async function entriesOf(directory) {
  const reader = directory.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function sift(list) {
  const files = list.filter(({ file }) => file);
  const found = files.filter((one) => !isJunk(one));
  return { found, lost: list.flatMap(({ lost }) => lost ?? []), leftOut: files.length - found.length };
}

function isJunk({ file, path }) {
  return JUNK.test(file.name) || path.some((part) => JUNK_FOLDER.test(part));
}
