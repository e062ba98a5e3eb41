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

/** Bytes of the page's own files, which it loaded before the seal; the trainer lists its own in its stages. */
export function pageBytes() {
  const entries = /** @type {PerformanceResourceTiming[]} */ ([...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]);
  const own = entries.filter(({ name }) => !/^(blob|data):|\/(runtime|artifacts)\//.test(name));
  const sizes = new Map(own.map(({ name, decodedBodySize }) => [name.replace(/[?#].*/, ""), decodedBodySize])); // some are read twice
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}
