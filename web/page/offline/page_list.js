/** The list of the page's own files, which the build writes: a build of the page is what its list says. */

const FORMAT = "pagetrain-page";
const VERSION = 1;

/** The folder of the page. */
export const HOME = new URL("./", document.baseURI).href;
const PAGE = "index.html";
const LIST = new URL("page/files.json", HOME).href;

/**
 * @typedef {import("../../module/transfer.js").WantedFile & { path: string, type: string }} PageFile
 * @typedef {{ text: string, files: PageFile[], kept: "whole" | "new" | null }} PageList  `kept`: this page came from what was kept, as `sw.js` says; "new": its trainer's files may not be there yet
 */

/** Of the build that this page is of; from the network: of what is there now. @param {AbortSignal} signal @returns {Promise<PageList>} */
export function ownList(signal) {
  return read("no-cache", signal);
}

/** Of what is on the server now, past everything that is kept. @param {AbortSignal} signal @returns {Promise<PageList>} */
export function newestList(signal) {
  return read("reload", signal);
}

async function read(cache, signal) {
  const response = await fetch(LIST, { cache, signal });
  if (!response.ok) throw new Error(`${LIST}: the server answered ${response.status}`);
  const text = await response.text();
  return { text, files: filesOf(JSON.parse(text)), kept: /** @type {any} */ (response.headers.get("pagetrain-kept")) };
}

function filesOf({ format, version, files }) {
  if (format !== FORMAT || !(version <= VERSION)) throw new Error(`${LIST} is no list of this page's files`);
  return files.map(({ path, bytes, sha256, type }) => ({ name: path, path, url: path === PAGE ? addressOfPage() : new URL(path, HOME).href, bytes, sha256, type, stage: "page" }));
}

/** As it was asked for: the browser has that copy already, and not every host answers for a folder. */
function addressOfPage() {
  const address = location.origin + location.pathname;
  return [HOME, HOME + PAGE].includes(address) ? address : HOME;
}
