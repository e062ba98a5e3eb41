import { PagetrainError } from "../shared/errors.js";
import { WorkerLink } from "./worker_link.js";

/**
 * A worker whose Python holds the model, and what Python says of it. Always from a blob url: such a worker is under the page's policy.
 * Raises PagetrainError "load", code "start". onDeath is told of a death during the start too.
 *
 * @param {import("./parts.js").Parts} parts
 * @param {{onProgress?: (progress: import("../shared/protocol.js").StartProgress) => void, onDeath?: (error: PagetrainError) => void}} [options]
 * @returns {Promise<{link: WorkerLink, opened: import("../shared/protocol.js").Opened}>}
 */
export async function startWorker({ workerText, runtime, manifest, artifacts }, { onProgress, onDeath } = {}) {
  const url = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
  try {
    const link = new WorkerLink(newWorker(url), { onDeath });
    const opened = await link.call("start", { runtime, manifest, artifacts }, { onProgress }).catch((error) => {
      link.close(error);
      throw startError(error);
    });
    return { link, opened };
  } finally {
    URL.revokeObjectURL(url);
  }
}

function newWorker(url) {
  try {
    return new Worker(url, { name: "pagetrain" });
  } catch (error) {
    throw startError(error); // a page's policy without `worker-src blob:`
  }
}

function startError(error) {
  const cause = error.message.replace(/\.$/, "");
  const action = "Reload the page; a page with a policy of its own must allow `worker-src blob:` and `script-src 'wasm-unsafe-eval'`";
  return new PagetrainError("load", `Python could not be started: ${cause}. ${action}.`,
    { code: "start", detail: { file: "worker.js", stage: "start", status: 0, cause, action, ...error.detail } });
}
