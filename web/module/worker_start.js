import { PagetrainError } from "../shared/errors.js";
import { forgetKept } from "./kept_files.js";
import { WorkerLink } from "./worker_link.js";

const REVOKE_MS = 60_000; // by then the worker has read its script

/**
 * A worker whose Python holds the model, and what Python says of it.
 * Raises PagetrainError "load", code "start". onDeath is told of a death during the start too. signal: ends the worker, then or later;
 * its reason is what the start and calls in flight reject with.
 *
 * @param {import("./parts.js").Parts} parts @param {import("../shared/protocol.js").Backend} backend
 * @param {{onProgress?: (progress: import("../shared/protocol.js").StartProgress) => void, onDeath?: (error: PagetrainError) => void,
 *   signal?: AbortSignal}} [options]
 * @returns {Promise<{link: WorkerLink, opened: import("../shared/protocol.js").Opened}>}
 */
export async function startWorker({ workerText, runtime, manifest, artifacts }, backend, { onProgress, onDeath, signal } = {}) {
  /** @type {WorkerLink | undefined} */
  let link;
  signal?.addEventListener("abort", () => link?.close(signal.reason), { once: true });
  try {
    link = newWorkerLink(workerText, "pagetrain", { onDeath });
    return { link, opened: await link.call("start", { runtime, manifest, artifacts, backend }, { onProgress }) };
  } catch (error) {
    link?.close(error);
    signal?.throwIfAborted();
    forgetKept();
    throw startError(error);
  }
}

/**
 * A new worker that runs `text`. Always from a blob url: such a worker is under the page's policy. Throws what the browser throws, where
 * the policy has no `worker-src blob:`, say.
 *
 * @param {Blob} text @param {string} name @param {ConstructorParameters<typeof WorkerLink>[1]} options
 */
export function newWorkerLink(text, name, options) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return new WorkerLink(new Worker(url, { name }), options);
  } finally {
    setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS);
  }
}

function startError(error) {
  const cause = error.message.replace(/\.$/, "");
  const action = isRefusal(error)
    ? "Reload the page; a page with a policy of its own must allow `worker-src blob:` and `script-src 'wasm-unsafe-eval'`"
    : "Reload the page; if it happens again, the site's copy may be incomplete";
  return new PagetrainError("load", `Python could not be started: ${cause}. ${action}.`,
    { code: "start", detail: { file: "worker.js", stage: "start", status: 0, cause, action, ...error.detail } });
}

/** Whether the browser let no worker start, or compiled no WebAssembly in it. */
function isRefusal(error) {
  return !(error instanceof PagetrainError) || error.code === "refused" || error.kind === "CompileError";
}
