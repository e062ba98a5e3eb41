/**
 * The service worker: answers for the page's own files from what the page has kept, and hands every other request on as it is. It asks for
 * nothing by itself and keeps nothing itself: the page fetches, checks and keeps (page/offline/), while it is not sealed. The trainer's files
 * never come through here: module/kept_files.js reads them from the same storage, with this worker or without.
 *
 * A page gets all of its files from one build or all from the network, never some of each.
 */

/** Below this script's folder, the trainer's files but for the lists that name them. */
const TRAINERS = /^(runtime|artifacts)\/(?!(.*\/)?(files|manifest)\.json$)/;

const CACHE = "pagetrain"; // as module/kept_files.js calls it
const LIST = "page/files.json"; // as page/offline/page_list.js calls it
const RECORD = "kept-page.json"; // as page/offline/kept_page.js calls it

/** Which build each page was given: pages that load at the same time may be of two. null: of the network. @type {Map<string, any>} */
const given = new Map();
const MOST_PAGES = 50;

const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
scope.addEventListener("install", () => scope.skipWaiting()); // whichever build is kept, a newer script serves it as well
scope.addEventListener("fetch", (event) => {
  const name = nameOf(event.request);
  if (name !== null) event.respondWith(answer(event, name));
});

/** The name of what is asked for, if it can be one of the page's files; null where the network shall answer. Pages may have a query, files have none. */
function nameOf({ url, method, mode, cache }) {
  const { origin, pathname, search } = new URL(url);
  const place = origin + pathname;
  if (method !== "GET" || cache === "reload" || (search && mode !== "navigate") || !place.startsWith(scope.registration.scope)) return null;
  const name = place.slice(scope.registration.scope.length) || "index.html";
  return TRAINERS.test(name) ? null : name;
}

async function answer({ request, clientId, resultingClientId }, name) {
  const isPage = request.mode === "navigate";
  const build = await buildFor(isPage ? resultingClientId : clientId, isPage);
  if (build && name === LIST) return new Response(build.list, { headers: { "content-type": "application/json", "pagetrain-kept": build.isNew ? "new" : "whole" } });
  const address = build?.keys[name];
  return address ? (await kept(address)) ?? Response.error() : fetch(request);
}

async function buildFor(client, isNewPage) {
  if (isNewPage || !given.has(client)) {
    given.set(client, await present());
    for (const oldest of given.keys()) if (given.size > MOST_PAGES) given.delete(oldest);
  }
  return given.get(client);
}

/** The build that pages get now, if all of its files are there. */
async function present() {
  const record = await (await kept(new URL(RECORD, scope.registration.scope).href))?.json();
  const build = record?.taken && record.next ? { ...record.next, isNew: true } : record?.whole;
  if (!build) return null;
  const found = await Promise.all(Object.values(build.keys).map(kept));
  return found.every(Boolean) ? build : null;
}

/** What is kept at an address, if anything. Where the storage is damaged, nothing is. @returns {Promise<Response | undefined>} */
async function kept(address) {
  return caches.match(address, { cacheName: CACHE }).catch(() => undefined);
}
