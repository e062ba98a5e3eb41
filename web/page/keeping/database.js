/**
 * What the page keeps in the browser's own database, and the only door to it. One transaction is one step: a page that ends in the middle of it has made
 * none of it. Everything is keyed by project, and within it by the page's number of the picture:
 *
 *   projects  what a project is: its name, classes, settings
 *   pictures  what a person said of a picture: its class, its place
 *   files     a picture's own bytes, written once
 *   features  what the model makes of it, and `by` which model
 *   learnt    what was learnt, and what was said of the pictures then
 */

import { deleteDB, openDB } from "../../../node_modules/idb/build/index.js";

const NAME = "pagetrain";
const VERSION = 1;
const STORES = ["projects", "pictures", "files", "features", "learnt"];

/** Milliseconds after which a store that does not answer is taken for one that will not: another page may sit on it. */
const PATIENCE = 3000;
/** Records between two turns of the page. */
const SLICE = 100;

/**
 * @typedef {import("../../../node_modules/idb/build/index.js").IDBPDatabase<any>} Database
 * @typedef {{ store: string, value?: any, gone?: any }} Change  a record to put, or the key or range of records that go
 */

/** Whether anything was ever kept here; where the browser does not tell, perhaps. Makes no database. */
export async function isThere() {
  if (!globalThis.indexedDB) throw new DOMException("this browser has no database for pages", "NotSupportedError");
  if (!indexedDB.databases) return true;
  return (await indexedDB.databases()).some(({ name }) => name === NAME);
}

/**
 * Rejects with "VersionError" where a newer version of the page has been here, with "TimeoutError" where another page holds it, and with what the browser
 * says where it has no store for this page. @param {() => void} onLost called when the connection ends from outside @returns {Promise<Database>}
 */
export async function openDatabase(onLost) {
  let late = false;
  const opening = openDB(NAME, VERSION, {
    upgrade: make,
    blocking: (_, __, event) => { /** @type {any} */ (event.target).close(); onLost(); }, // a newer page wants to change it
    terminated: onLost,
  });
  opening.then((database) => late && database.close(), () => {});
  return inTime(opening, () => { late = true; });
}

/** @template T @param {Promise<T>} work @param {() => void} [onLate] @returns {Promise<T>} */
function inTime(work, onLate = () => {}) {
  return Promise.race([work, new Promise((_, reject) => setTimeout(() => { onLate(); reject(new DOMException("it does not answer", "TimeoutError")); }, PATIENCE))]);
}

function make(database) {
  database.createObjectStore("projects", { keyPath: "id" });
  for (const name of ["pictures", "files", "features"]) database.createObjectStore(name, { keyPath: ["project", "id"] });
  database.createObjectStore("learnt", { keyPath: "project" });
}

/** Nothing is left of it, of no project. Other pages are asked to let go of it, and do. Rejects with "TimeoutError" where one does not. */
export function deleteDatabase() {
  return inTime(deleteDB(NAME));
}

/**
 * All of these or none; on the disk when it settles. Rejects with "QuotaExceededError" where there is no room for them.
 * @param {Database} database @param {Change[]} changes
 */
export async function commit(database, changes) {
  const transaction = database.transaction([...new Set(changes.map(({ store }) => store))], "readwrite", { durability: "strict" });
  const steps = [transaction.done];
  try {
    for (const { store, value, gone } of changes) {
      const records = transaction.objectStore(store);
      steps.push(value === undefined ? records.delete(gone) : records.put(value));
      if (steps.length % SLICE === 0) await steps.at(-1); // the page has a turn; the transaction stays open as long as it has work
    }
    await Promise.all(steps);
  } catch (error) {
    await ended(transaction, steps);
    throw transaction.error ?? error;
  }
}

async function ended(transaction, steps) {
  try {
    transaction.abort();
  } catch { /* the browser did */ }
  await Promise.allSettled(steps);
}

/** Of one project: all of its records in `pictures`, `files` or `features`. */
export function allOf(project) {
  return IDBKeyRange.bound([project], [project, []]); // arrays come after all numbers
}

/** Everything of a project goes, at once. @param {Database} database @param {string} project */
export function removeProject(database, project) {
  const whole = STORES.map((store) => ({ store, gone: store === "projects" || store === "learnt" ? project : allOf(project) }));
  return commit(database, whole);
}

/** The records of a project, some at a time, in the order of their numbers. @param {Database} database */
export async function* inBatches(database, store, project, size) {
  let range = allOf(project);
  for (;;) {
    const some = await database.getAll(store, range, size);
    if (some.length === 0) return;
    yield some;
    range = IDBKeyRange.bound([project, some.at(-1).id], [project, []], true);
  }
}
