/**
 * The page's own files in the browser's cache storage, beside the trainer's and in the same way: checked, each under an address that no other
 * content can have. A record, written in one go, says of which builds they are; `sw.js` answers from it.
 */

import { dropKept, keep, keptAddress, keptText } from "../../module/kept_files.js";
import { HOME } from "./page_list.js";

const RECORD = new URL("kept-page.json", HOME).href; // an address in the storage; no server has it

/**
 * @typedef {{ list: string, keys: Record<string, string> }} Build  `keys`: the address in the storage of each of its files
 * @typedef {{ whole: Build | null, next: Build | null, taken: boolean }} Kept
 *   `whole`: everything of it is kept, the trainer's files too; `next`: the page's own files are; `taken`: pages get `next` from now on
 */

/** @returns {Promise<Kept>} */
export async function record() {
  const text = await keptText(RECORD);
  return text ? JSON.parse(text) : { whole: null, next: null, taken: false };
}

/** Writes the record; files that only the one before it named go. @param {Partial<Kept>} change */
export async function setRecord(change) {
  const before = await record();
  const now = { ...before, ...change };
  await keep(RECORD, JSON.stringify(now), "application/json");
  const named = new Set(addresses(now));
  await dropKept(addresses(before).filter((address) => !named.has(address)));
}

/** @param {[import("./page_list.js").PageFile, Blob][]} contents */
export async function keepFiles(contents) {
  for (const [file, content] of contents) await keep(keptAddress(file), content, file.type);
}

/** @param {import("./page_list.js").PageList} list @returns {Build} */
export function buildOf({ text, files }) {
  return { list: text, keys: Object.fromEntries(files.map((file) => [file.path, keptAddress(file)])) };
}

function addresses({ whole, next }) {
  return [whole, next].flatMap((build) => Object.values(build?.keys ?? {}));
}
