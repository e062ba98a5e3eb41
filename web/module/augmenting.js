import { PagetrainError } from "../shared/errors.js";
import { askTwice } from "../shared/ask_twice.js";
import { openedPicture } from "./arguments.js";
import { embed } from "./features.js";
import { inOrder } from "./in_order.js";

/**
 * Further rows for pictures that are in: Python makes the variants of what the model sees, embedding workers or Python their features, and
 * both Python and the records keep these.
 *
 * @typedef {import("../shared/protocol.js").Augment} Augment
 * @typedef {import("../shared/protocol.js").CachedRow} CachedRow
 * @typedef {{done: number, total: number, name: string, label: string, rows: number, reason?: string, code: string}} AugmentProgress
 *   done, total: of the pictures that lack rows; rows: how many this one was given
 * @typedef {{rows: number, skipped: {label: string, name: string, reason: string, code: string}[], stopped: boolean}} AugmentReport
 *   rows: how many were made; stopped: by the signal, the rest was not looked at
 * @typedef {{worker: import("./living_worker.js").LivingWorker, embedders: import("./embedders.js").Embedders | null,
 *   records: import("./records.js").Records}} Makers
 */

/**
 * @param {import("./arguments.js").CheckedItem[]} items those with a key that lacks nothing are not even read
 * @param {Augment} augment @param {Makers & {width: number, onProgress: (progress: AugmentProgress) => void, stopped: () => boolean}} work
 * @returns {Promise<AugmentReport>}
 */
export async function augmentAll(items, augment, { width, onProgress, stopped, ...makers }) {
  const report = /** @type {AugmentReport} */ ({ rows: 0, skipped: [], stopped: false });
  const { missing } = await makers.worker.call("augmentation", { augment });
  const lacking = new Set(missing);
  const wanted = items.filter(({ key }) => key === undefined || lacking.has(key));
  report.stopped = await inOrder(wanted, {
    width,
    begin: ({ picture }) => askTwice(() => rowsOf(picture, augment, makers)),
    end: async ({ label, name }, begun, index) => {
      const outcome = await kept(begun, makers);
      report.rows += outcome.rows;
      if (outcome.reason) report.skipped.push({ label, name, reason: outcome.reason, code: outcome.code });
      onProgress({ done: index + 1, total: wanted.length, name, label, ...outcome });
    },
    stopped,
  });
  return report;
}

/** @returns {Promise<CachedRow[]>} those that are missing */
async function rowsOf(source, augment, { worker, embedders }) {
  const { key, variants } = await worker.call("vary", { picture: await openedPicture(source), augment });
  return Promise.all(variants.map(async ({ variant, pixels }) => ({ key, variant, features: await embed(pixels, embedders, worker) })));
}

/**
 * What became of them; a picture that cannot be used, or is not in any class, is told with its reason.
 *
 * @returns {Promise<{rows: number, reason?: string, code: string}>} code: "" without a reason
 */
async function kept(begun, { worker, records }) {
  try {
    const rows = await begun;
    for (const row of rows) {
      await askTwice(() => worker.call("putRow", row));
      records.addRow(row);
    }
    return { rows: rows.length, code: "" };
  } catch (error) {
    if (!(error instanceof PagetrainError) || !["PictureError", "InvalidInputError", "worker"].includes(error.kind)) throw error;
    return { rows: 0, reason: error.message, code: error.code || error.kind };
  }
}
