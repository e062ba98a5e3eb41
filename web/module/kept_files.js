/**
 * Files of an earlier visit, in the browser's cache storage: checked, and not compressed, which is most of what a second visit would wait for.
 * Where there is no such storage, or no room in it, every visit fetches as the first one does.
 *
 * @typedef {import("./transfer.js").WantedFile} WantedFile
 */

const NAME = "pagetrain";
const KEEP_AFTER_MS = 3000; // by then who came with pictures has trained on them: keeping takes a quarter of a second of the machine

/** What this visit fetched and no visit has kept yet. @type {[WantedFile, Blob][]} */
let fetched = [];

/** Whether an earlier visit left anything. @returns {Promise<boolean>} */
export async function isAnythingKept() {
  return (await quietly(() => caches.has(NAME))) ?? false;
}

/** The file's content as it was kept; null if it was not. @param {WantedFile} file @returns {Promise<Blob | WebAssembly.Module | null>} */
export async function keptContent(file) {
  return quietly(async () => {
    const response = await (await caches.open(NAME)).match(keyOf(file));
    if (!response) return null;
    if (file.wasm) return WebAssembly.compileStreaming(response);
    const blob = await response.blob(); // read by whoever needs the bytes
    return blob.size === file.bytes ? blob : null;
  });
}

/** Notes what was fetched and checked, for `keepLater`. @param {WantedFile} file @param {Blob} content */
export function noteFetched(file, content) {
  fetched.push([file, content]);
}

/** Keeps what was fetched, in place of older editions of the same files, when the page has had time for its work. */
export function keepLater() {
  setTimeout(keep, KEEP_AFTER_MS);
}

/** Lets go of everything: what is kept may be damaged. */
export function forgetKept() {
  return quietly(() => caches.delete(NAME));
}

async function keep() {
  const waiting = fetched;
  fetched = [];
  await quietly(async () => {
    const cache = await caches.open(NAME);
    for (const [file, content] of waiting) {
      await cache.delete(file.url, { ignoreSearch: true });
      await cache.put(keyOf(file), new Response(content, { headers: { "content-type": file.wasm ? "application/wasm" : "application/octet-stream" } }));
    }
  });
}

/** An address that no other content can have. */
function keyOf({ url, sha256 }) {
  return `${url}?sha256=${sha256}`;
}

/** What `work` comes to, or null where the storage is missing, full or damaged. @template T @param {() => Promise<T>} work @returns {Promise<T | null>} */
async function quietly(work) {
  try {
    return await work();
  } catch {
    return null;
  }
}
