/**
 * The page without a network: its own files are fetched and checked while it loads, and kept when all of the trainer's files are; from then on
 * `sw.js` answers for them. Whether there is a newer page is asked before this one is sealed; that one is offered, and never mixed with this one.
 */

import { fetchChecked } from "../../module/transfer.js";
import { isKept, keptContent, whenKept } from "../../module/kept_files.js";
import { isSealed } from "../../module/seal.js";
import { changed, state } from "../state.js";
import { buildOf, keepFiles, record, setRecord } from "./kept_page.js";
import { HOME, newestList, ownList } from "./page_list.js";

/** @typedef {[import("./page_list.js").PageFile, Blob]} Content */

/** Milliseconds that the seal waits for an answer about a newer page, for the files of one, and for the list of this page's own. */
const ASK_MS = 1500;
const FETCH_MS = 8000;
const LIST_MS = 30_000;

/** What a page that keeps nothing needs after its seal, too. */
const LATER = /^example\//;

const SCRIPT = new URL("sw.js", HOME).href;

/** The list of this page, and those of its files that are to be kept. @type {import("./page_list.js").PageList | null} */
let own = null;
/** @type {Content[]} */
let fetched = [];
/** @type {Promise<void> | null} */
let preparing = null;

/** Why this browser keeps nothing here; null where it does. */
function obstacle() {
  if (!isSecureContext) return "insecure";
  return "serviceWorker" in navigator && "caches" in globalThis ? null : "forbidden";
}

/** What has to be asked for before the page is sealed; asked again where it failed. Never rejects: the page works without. @returns {Promise<void>} */
export function prepareOffline() {
  const again = state.offline.phase === "failed" && !isSealed(document);
  if (!preparing || again) preparing = prepare();
  return preparing;
}

async function prepare() {
  const why = obstacle();
  state.offline.phase = why ?? "fetching";
  if (why) console.info(`This page will not open without a network: ${why === "insecure" ? "it came by plain http" : "the browser has no service workers here"}.`);
  try {
    own = await ownList(AbortSignal.timeout(LIST_MS));
    if (own.kept === "whole") await lookForNewer();
    else if (own.kept === null) await fetchOwn(why === null);
  } catch (error) {
    console.info(error); // no network, or a server that answers something else: what is kept goes on
    if (!why && !own?.kept) state.offline.phase = "failed";
  }
}

/** What came is there for this visit, even where not all did. @param {boolean} toKeep */
async function fetchOwn(toKeep) {
  const files = toKeep ? own.files : own.files.filter(({ path }) => LATER.test(path));
  const registered = toKeep ? navigator.serviceWorker.register(SCRIPT, { updateViaCache: "all" }) : null;
  const outcomes = await Promise.allSettled([gather(files, ["force-cache", "reload"], (content) => fetched.push(content)), registered]);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** One of the page's own files, which nobody has asked for yet: when the page is sealed, too. @param {string} path @returns {Promise<Blob | null>} */
export async function pageFile(path) {
  await preparing;
  const [, content] = fetched.find(([file]) => file.path === path) ?? [];
  const file = own?.files.find((one) => one.path === path);
  return content ?? (file ? /** @type {Promise<Blob | null>} */ (keptContent(file)) : null);
}

/** When the trainer is there. @returns {Promise<void>} */
export async function keepPage() {
  if (state.offline.phase !== "fetching") return;
  try {
    if (!(await whenKept())) throw new Error("The trainer's files could not be kept.");
    if (own.kept !== "whole") await becomeWhole();
    state.offline.phase = "kept";
  } catch (error) {
    console.info(error);
    state.offline.phase = "full";
  }
  changed();
}

/** After a failed load: a page whose trainer's files are nowhere any more is not given again, nor a new one that did not come. */
export async function giveUpKept({ code }) {
  if (!own?.kept || code === "start") return; // then everything kept is gone
  if (own.kept === "new") await setRecord({ taken: false });
  else if (["hash", "http", "list"].includes(code)) await setRecord({ whole: null });
}

/** The newer page is the one that is opened from now on. */
export function takeNewer() {
  return setRecord({ taken: true });
}

async function becomeWhole() {
  await keepFiles(fetched);
  await setRecord({ whole: buildOf(own), next: null, taken: false });
}

/**
 * Fetches what of the list is not kept yet. A file that is another by now fails the check.
 * @param {import("./page_list.js").PageFile[]} files @param {RequestCache[]} caches @param {(content: Content) => void} onFile @param {AbortSignal} [signal]
 */
async function gather(files, caches, onFile, signal) {
  await Promise.all(files.map(async (file) => (await isKept(file)) || onFile([file, await fetchChecked(file, caches, signal)])));
}

async function lookForNewer() {
  if (!navigator.onLine) return;
  const soon = AbortSignal.timeout(ASK_MS);
  const [newest] = await Promise.all([newestList(soon), fetch(SCRIPT, { cache: "reload", signal: soon })]);
  const { next } = await record();
  if (newest.text === own.text) return next && setRecord({ next: null, taken: false }); // it was taken back
  /** @type {Content[]} */
  const contents = [];
  await gather(newest.files, ["reload"], (content) => contents.push(content), AbortSignal.timeout(FETCH_MS));
  await keepFiles(contents);
  await setRecord({ next: buildOf(newest), taken: false });
  state.offline.newer = "offered";
  changed();
}
