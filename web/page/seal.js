/** Counting what this page asks the network for after it was sealed. */

import { changed, state } from "./state.js";

/** Begins to count. Blob and data addresses are inside the browser and no requests. */
export function countRequests() {
  state.seal = { closed: true, at: new Date(), requests: 0 };
  const since = performance.now();
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
  const own = performance.getEntriesByType("resource").filter((entry) => ["script", "link", "css", "img"].includes(entry.initiatorType));
  const page = performance.getEntriesByType("navigation")[0];
  return own.reduce((sum, entry) => sum + entry.decodedBodySize, page?.decodedBodySize ?? 0);
}
