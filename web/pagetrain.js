import { askTwice } from "./shared/ask_twice.js";
import { PagetrainError } from "./shared/errors.js";
import { checkedFile, checkedItems, checkedLabels, checkedString, checkedTrainOptions } from "./module/arguments.js";
import { hold, release } from "./module/file_store.js";
import { LivingWorker } from "./module/living_worker.js";
import { fetchParts } from "./module/parts.js";
import { Records } from "./module/records.js";
import { isSealed, seal as sealPage } from "./module/seal.js";

export { PagetrainError };

/**
 * @typedef {import("./shared/protocol.js").LabelledFile} LabelledFile
 * @typedef {import("./shared/protocol.js").TrainProgress} TrainProgress
 * @typedef {{stage: string, name: string, loaded: number, total: number, bytes: number}} LoadProgress
 *   stage: "python", "packages", "model" (these three at once), then "start"; loaded, total: bytes of the stage (steps of "start"); bytes: size of the file `name`
 * @typedef {{index: number, done: number, total: number, name: string, label: string, picture?: AddedPicture, reason?: string, code?: string}} AddProgress
 *   index: of the item in `items`; done: how many are
 * @typedef {{key: string, label: string, name: string, duplicate: boolean}} AddedPicture
 * @typedef {{label: string, name: string, reason: string, code: string}} SkippedPicture
 * @typedef {{added: number, skipped: SkippedPicture[], pictures: AddedPicture[], stopped: boolean}} AddReport
 *   added: pictures that were not there before; stopped: by the signal, the rest was not looked at
 */

/**
 * An image classifier that is trained in this page. Python runs in a worker; if that dies, another is started and given the work back.
 *
 * Events: "state" ({detail: {state}}: "ready", "restarting", "failed", "disposed") and "restart" ({detail: {reason, pictures}}: a new worker
 * is ready and holds the same classes, pictures and learnt head). Methods reject with PagetrainError.
 */
export class Pagetrain extends EventTarget {
  #artifacts;
  #records = new Records();
  #worker;

  /**
   * Fetches runtime and artifacts, starts Python and opens the model. `artifacts`: folder, relative to the document.
   * seal: once all is fetched, forbid this page and its workers every request, for good. signal: aborts the fetching.
   * After a failure, calling it again fetches only what is missing.
   *
   * @param {{artifacts: string | URL, onProgress?: (progress: LoadProgress) => void, seal?: boolean, signal?: AbortSignal}} options
   */
  static async load({ artifacts, onProgress = () => {}, seal = false, signal } = /** @type {any} */ ({})) {
    const parts = await fetchParts(artifacts, onProgress, signal);
    if (seal) sealPage(document);
    const pagetrain = new Pagetrain(parts);
    await pagetrain.#worker.connect(onProgress);
    hold();
    return pagetrain;
  }

  /** Use Pagetrain.load. @param {import("./module/parts.js").Parts} parts */
  constructor(parts) {
    super();
    this.#artifacts = parts.artifacts;
    this.#worker = new LivingWorker(parts, this.#records, {
      onState: (state) => this.dispatchEvent(new CustomEvent("state", { detail: { state } })),
      onRestart: (detail) => this.dispatchEvent(new CustomEvent("restart", { detail })),
    });
  }

  /** Which kernels run ("numpy"). */
  get backend() {
    return this.#worker.opened?.backend ?? "";
  }

  /** Name and title of the base model. */
  get name() {
    return this.#worker.opened?.name ?? "";
  }

  get title() {
    return this.#worker.opened?.title ?? "";
  }

  /** Bytes that are kept for each picture. */
  get featureBytes() {
    return this.#worker.opened?.featureBytes ?? 0;
  }

  get labels() {
    return [...this.#records.labels];
  }

  get state() {
    return this.#worker.state;
  }

  /** Whether this page can no longer reach any server. */
  get sealed() {
    return isSealed(document);
  }

  /** New classes start unlearnt, those that stay keep what they learnt, those that go take their pictures along. @param {string[]} labels */
  async setClasses(labels) {
    this.#records.setClasses(await this.#call("setClasses", { labels: checkedLabels(labels) }));
    return this.labels;
  }

  /** @param {string} from @param {string} to */
  async renameClass(from, to) {
    const names = { from: checkedString(from, "the present name"), to: checkedString(to, "the new name") };
    this.#records.renameClass(from, to, await this.#call("renameClass", names));
    return this.labels;
  }

  /**
   * Pictures that cannot be used are skipped, each with its reason. The signal stops between two pictures.
   *
   * @param {LabelledFile[]} items @param {{onProgress?: (progress: AddProgress) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<AddReport>}
   */
  async add(items, { onProgress = () => {}, signal } = {}) {
    const report = /** @type {AddReport} */ ({ added: 0, skipped: [], pictures: [], stopped: false });
    const checked = checkedItems(items, this.labels);
    for (const [index, { label, file }] of checked.entries()) {
      report.stopped = Boolean(signal?.aborted);
      if (report.stopped) break;
      const outcome = await this.#addOne(label, file, report);
      onProgress({ index, done: index + 1, total: checked.length, name: nameOf(file), label, ...outcome });
    }
    return report;
  }

  /** @param {{key: string, label: string}} picture */
  async remove({ key, label }) {
    await this.#call("remove", { key: checkedString(key, "the picture's key"), label: checkedString(label, "the picture's class") });
    this.#records.remove({ key, label });
  }

  /** @param {{key: string, from: string, to: string}} move */
  async move({ key, from, to }) {
    await this.#call("move", { key: checkedString(key, "the picture's key"), from: checkedString(from, "its class"), to: checkedString(to, "its new class") });
    this.#records.move({ key, from, to });
  }

  /**
   * Trains on from the present head and keeps the best epoch. The signal stops after the present step: history.stopped is then true.
   *
   * @param {import("./shared/protocol.js").TrainOptions & {onProgress?: (progress: TrainProgress) => void, signal?: AbortSignal}} [options]
   */
  async train({ onProgress, signal, ...options } = {}) {
    signal?.throwIfAborted();
    const { history, head } = await this.#call("train", { options: checkedTrainOptions(options) }, { onProgress, signal });
    this.#records.head = head;
    return history;
  }

  /** All classes, the most probable first. @param {Blob} file @returns {Promise<import("./shared/protocol.js").Prediction[]>} */
  async predict(file) {
    return this.#call("predict", { file: checkedFile(file) });
  }

  /** What the base model makes of a picture, of which training and answers are made: `featureBytes` bytes. @param {Blob} file @returns {Promise<Float32Array>} */
  async features(file) {
    return this.#call("features", { file: checkedFile(file) });
  }

  /** What the model sees of a picture: upright, cropped, RGB. @param {Blob} file @returns {Promise<{width: number, height: number, data: Uint8Array}>} */
  async pixels(file) {
    return this.#call("pixels", { file: checkedFile(file) });
  }

  /**
   * @param {LabelledFile[]} items @param {{onProgress?: (progress: {done: number, total: number}) => void}} [options]
   * @returns {Promise<import("./shared/protocol.js").Metrics>}
   */
  async evaluate(items, { onProgress } = {}) {
    return this.#call("evaluate", { items: checkedItems(items, this.labels) }, { onProgress });
  }

  /** The trained model as one .onnx file: slices of the fetched files and the few bytes that were learnt. */
  async exportModel() {
    const { parts } = await this.#call("exportModel");
    const blobs = parts.map((part) => ("file" in part ? this.#slice(part) : part));
    return new Blob(blobs, { type: "application/octet-stream" });
  }

  /** The training state as an ONNX Runtime checkpoint file. */
  async saveCheckpoint() {
    const { data } = await this.#call("saveCheckpoint");
    return new Blob([data], { type: "application/octet-stream" });
  }

  /** Ends the worker and lets go of all that is kept. Calls in flight reject. */
  dispose() {
    if (this.state === "disposed") return;
    this.#worker.dispose();
    this.#artifacts = {};
    this.#records.setClasses({ labels: [], head: new Uint8Array() });
    release();
  }

  async #addOne(label, file, report) {
    try {
      const { key, duplicate, features } = await askTwice(() => this.#call("add", { label, file }));
      const picture = { key, label, name: nameOf(file), duplicate };
      if (!duplicate) this.#records.add({ key, label, features });
      report.added += duplicate ? 0 : 1;
      report.pictures.push(picture);
      return { picture };
    } catch (error) {
      if (!(error instanceof PagetrainError) || !["PictureError", "worker"].includes(error.kind)) throw error;
      const { message: reason, code, kind } = error;
      report.skipped.push({ label, name: nameOf(file), reason, code: code || kind });
      return { reason, code: code || kind };
    }
  }

  #slice({ file, offset, length }) {
    return this.#artifacts[file].slice(offset, offset + length);
  }

  #call(type, fields, options) {
    return this.#worker.call(type, fields, options);
  }
}

function nameOf(file) {
  return file instanceof File ? file.name : "";
}
