/** Counting what this page asks the network for after it was sealed. */

import { changed, state } from "./state.js";

/**
 * Keeps the page's icon in the page: the browser asks for it again when the address changes, and a sealed page would be refused it.
 * A page without its icon works as well.
 */
export async function keepIcon() {
  const link = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
  if (link.href.startsWith("blob:")) return;
  try {
    const response = await fetch(link.href);
    if (response.ok) link.href = URL.createObjectURL(await response.blob());
  } catch (error) {
    console.warn(error);
  }
}

/** Counts from `since`, the page's time of the seal. Blob and data addresses are inside the browser and no requests. */
export function countRequests(since) {
  state.seal = { closed: true, at: new Date(performance.timeOrigin + since), requests: 0 };
  const observer = new PerformanceObserver((entries) => count(entries.getEntries().filter((entry) => entry.startTime > since)));
  observer.observe({ type: "resource", buffered: true });
}

function count(entries) {
  const requests = entries.filter((entry) => !/^(blob|data):/.test(entry.name)).length;
  if (requests === 0) return;
  state.seal.requests += requests;
  changed();
}

/** Bytes this page fetched itself before the seal, without what the trainer lists in its stages. */
export function pageBytes() {
  const resources = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
  const preloads = new Set(Array.from(document.querySelectorAll("link[as=fetch]"), (link) => /** @type {HTMLLinkElement} */ (link).href)); // the trainer's
  const own = resources.filter((entry) => ["script", "link", "css", "img"].includes(entry.initiatorType) && !preloads.has(entry.name));
  const [page] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return own.reduce((sum, entry) => sum + entry.decodedBodySize, page?.decodedBodySize ?? 0);
}
