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

/** @type {(all: boolean) => void} */
let settle;
const settled = new Promise((resolve) => { settle = resolve; });

/** Settles when what this visit fetched is kept: whether all of it is. @returns {Promise<boolean>} */
export function whenKept() {
  return settled;
}

/** Whether an earlier visit left anything. @returns {Promise<boolean>} */
export async function isAnythingKept() {
  return (await quietly(() => caches.has(NAME))) ?? false;
}

/** The file's content as it was kept; null if it was not. @param {WantedFile} file @returns {Promise<Blob | WebAssembly.Module | null>} */
export async function keptContent(file) {
  return quietly(async () => {
    const response = await kept(keptAddress(file));
    if (!response) return null;
    if (file.wasm) return WebAssembly.compileStreaming(response);
    const blob = await response.blob(); // read by whoever needs the bytes
    return blob.size === file.bytes ? blob : null;
  });
}

/** @param {{url: string, sha256: string}} file @returns {Promise<boolean>} */
export async function isKept(file) {
  return Boolean(await quietly(() => kept(keptAddress(file))));
}

/** @param {string} address @returns {Promise<string | null>} */
export async function keptText(address) {
  return quietly(async () => (await kept(address))?.text() ?? null);
}

/** Notes what was fetched and checked, for `keepLater`. @param {WantedFile} file @param {Blob} content */
export function noteFetched(file, content) {
  fetched.push([file, content]);
}

/** Keeps what was fetched, in place of older editions of the same files, when the page has had time for its work. */
export function keepLater() {
  setTimeout(async () => settle((await quietly(keepFetched)) ?? false), KEEP_AFTER_MS);
}

/** Puts one thing in. Raises what the storage does: it may be full. @param {string} address @param {BodyInit} content @param {string} type */
export async function keep(address, content, type) {
  await (await caches.open(NAME)).put(address, new Response(content, { headers: { "content-type": type } }));
}

/** @param {string[]} addresses */
export async function dropKept(addresses) {
  const cache = await caches.open(NAME);
  await Promise.all(addresses.map((address) => cache.delete(address)));
}

/** Lets go of everything: what is kept may be damaged. */
export function forgetKept() {
  return quietly(() => caches.delete(NAME));
}

/** An address that no other content can have. @param {{url: string, sha256: string}} file */
export function keptAddress({ url, sha256 }) {
  return `${url}?sha256=${sha256}`;
}

/** Older editions go when all of the new one is there: a visit that is broken off in between finds one of them whole. */
async function keepFetched() {
  const waiting = fetched;
  fetched = [];
  for (const [file, content] of waiting) await keep(keptAddress(file), content, file.wasm ? "application/wasm" : "application/octet-stream");
  for (const [file] of waiting) await dropKept(await olderEditions(file));
  return true;
}

/** @param {WantedFile} file */
async function olderEditions(file) {
  const found = await (await caches.open(NAME)).keys(file.url, { ignoreSearch: true });
  return found.map(({ url }) => url).filter((url) => url !== keptAddress(file));
}

/** Does not make the storage, which would say that something is kept. @param {string} address */
function kept(address) {
  return caches.match(address, { cacheName: NAME });
}

/** What `work` comes to, or null where the storage is missing, full or damaged. @template T @param {() => Promise<T>} work @returns {Promise<T | null>} */
async function quietly(work) {
  try {
    return await work();
  } catch {
    return null;
  }
}
