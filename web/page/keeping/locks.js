/** A project is open in one tab at a time: whoever has its lock writes it, and the browser takes the lock back when that tab ends, however it does. */

const PREFIX = "pagetrain project ";
const nameOf = (project) => PREFIX + project;

/** Browsers have no locks for pages that came by plain http from another machine. */
export function canLock() {
  return Boolean(navigator.locks);
}

/** What releases it; null where another tab has it. @param {string} project @returns {Promise<(() => void) | null>} */
export function take(project) {
  return request(project, { ifAvailable: true });
}

/** Milliseconds that the browser may take to notice that a tab has ended: a page that is loaded anew comes sooner. */
const NOTICE = 500;

/** The same, where the tab that had it may have ended just now. @param {string} project @returns {Promise<(() => void) | null>} */
export async function takeSoon(project) {
  return (await take(project)) ?? takeWhenFree(project, AbortSignal.timeout(NOTICE)).catch(() => null);
}

/** The same once it is free. Rejects when the signal aborts before. @param {string} project @param {AbortSignal} signal @returns {Promise<() => void>} */
export function takeWhenFree(project, signal) {
  return request(project, { signal });
}

/** Whether another tab has a project open, while this one has one. @returns {Promise<boolean>} */
export async function hasAnotherTab() {
  const { held } = canLock() ? await navigator.locks.query() : { held: [] };
  return held.filter(({ name }) => name.startsWith(PREFIX)).length > 1;
}

function request(project, options) {
  return new Promise((resolve, reject) => {
    navigator.locks.request(nameOf(project), options, (lock) => lock && new Promise((release) => resolve(() => release(undefined)))).then(() => resolve(null), reject);
  });
}
