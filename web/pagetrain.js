import { askTwice } from "./shared/ask_twice.js";
import { PagetrainError } from "./shared/errors.js";
import { checkedAugment, checkedBackend, checkedClass, checkedFile, checkedItems, checkedLabels, checkedPicture, checkedString, checkedTrainOptions } from "./module/arguments.js";
import { augmentAll } from "./module/augmenting.js";
import { Embedders } from "./module/embedders.js";
import { workerCount } from "./module/embedding.js";
import { checkedContents } from "./module/contents.js";
import { checkExported } from "./module/exported.js";
import { featuresOf } from "./module/features.js";
import { hold, release } from "./module/file_store.js";
import { keepLater } from "./module/kept_files.js";
import { LivingWorker } from "./module/living_worker.js";
import { inOrder } from "./module/in_order.js";
import { checkedLayers, LAST_LAYER, layersIn, partsFor } from "./module/layers.js";
import { fetchParts } from "./module/parts.js";
import { projectFile, readProject } from "./module/project/project_file.js";
import { arePlainLabels } from "./module/plain_labels.js";
import { Records } from "./module/records.js";
import { isSealed, seal as sealPage } from "./module/seal.js";

export { PagetrainError };

/**
 * @typedef {import("./module/arguments.js").LabelledPicture} LabelledPicture
 * @typedef {import("./module/arguments.js").GivenPixels} GivenPixels
 * @typedef {import("./shared/protocol.js").TrainProgress} TrainProgress
 * @typedef {{stage: string, name: string, loaded: number, total: number, bytes: number}} LoadProgress
 *   stage: "python", "packages", "model" (these three at once), then "start"; loaded, total: bytes of the stage (steps of "start"); bytes: size of the file `name`
 * @typedef {{index: number, done: number, total: number, name: string, label: string, picture?: AddedPicture, reason?: string, code?: string}} AddProgress
 *   index: of the item in `items`; done: how many are
 * @typedef {{key: string, label: string, name: string, duplicate: boolean, hash: string}} AddedPicture
 *   hash: of how it looks to the model, 16 hex digits; copies of a picture differ in few of the 64 bits
 * @typedef {{label: string, name: string, reason: string, code: string}} SkippedPicture
 * @typedef {{added: number, skipped: SkippedPicture[], pictures: AddedPicture[], stopped: boolean}} AddReport
 *   added: pictures that were not there before; stopped: by the signal, the rest was not looked at
 */

/**
 * An image classifier that is trained in this page. Python runs in a worker; if that dies, another is started and given the work back.
 * Where the browser and the model allow it, one or two workers beside it turn pictures into features; pixels in the model's size they take
 * while Python still starts. What comes out does not depend on how many they are.
 *
 * Events: "state" ({detail: {state}}: "ready", "restarting", "failed", "disposed") and "restart" ({detail: {reason, pictures}}: a new worker
 * is ready and holds the same classes, pictures and learnt head). Methods reject with PagetrainError.
 */
export class Pagetrain extends EventTarget {
  /** What was fetched. */
  #whole;
  /** What the workers are made of: all of it, or the files for other layers. */
  #parts;
  #layers = LAST_LAYER;
  #backend;
  /** What the manifest says. */
  #description;
  #records = new Records();
  #worker;
  /** @type {Embedders | null} */
  #embedders = null;

  #onProgress;

  /**
   * Fetches runtime and artifacts and starts the workers; settles as soon as pictures can be taken. `artifacts`: folder, relative to the
   * document. backend: "numpy" to leave out the accelerated kernels. seal: once all is fetched, forbid this page and its workers every
   * request, for good; a promise, of what the page itself still fetches: when that has settled, too. signal: aborts the fetching. After a
   * failure, calling it again fetches only what is missing; after a visit before this one, only the two lists that name the files: the others
   * lie in the browser's cache storage, as "pagetrain".
   *
   * @param {{artifacts: string | URL, backend?: "auto" | "numpy", onProgress?: (progress: LoadProgress) => void, seal?: boolean | Promise<unknown>, signal?: AbortSignal}} options
   */
  static async load({ artifacts, backend = "auto", onProgress = () => {}, seal = false, signal } = /** @type {any} */ ({})) {
    const wanted = checkedBackend(backend);
    const parts = await fetchParts(artifacts, onProgress, signal);
    if (seal) {
      await Promise.allSettled([seal]);
      sealPage(document);
    }
    const pagetrain = new Pagetrain(parts, wanted, onProgress);
    await pagetrain.#start();
    pagetrain.ready.then(keepLater, () => {});
    hold();
    return pagetrain;
  }

  /**
   * Use Pagetrain.load.
   *
   * @param {import("./module/parts.js").Parts} parts @param {import("./shared/protocol.js").Backend} backend
   * @param {(progress: LoadProgress) => void} onProgress
   */
  constructor(parts, backend, onProgress) {
    super();
    this.#whole = this.#parts = parts;
    this.#backend = backend;
    this.#description = JSON.parse(parts.manifest);
    this.#onProgress = onProgress;
    this.#worker = new LivingWorker(parts, backend, this.#records, {
      onState: (state) => this.dispatchEvent(new CustomEvent("state", { detail: { state } })),
      onRestart: (detail) => this.dispatchEvent(new CustomEvent("restart", { detail })),
    });
  }

  /**
   * Settles when Python holds the model. Nobody has to wait for it: methods that need Python do. Rejects, as they do, if it cannot be
   * started; asked for again, it tries again.
   *
   * @returns {Promise<void>}
   */
  get ready() {
    return this.#worker.connect(this.#onProgress).then(() => {});
  }

  /** Which kernels run: "relaxed-simd", "simd" or "numpy". */
  get backend() {
    return this.#worker.opened?.backend ?? this.#embedders?.backend ?? "";
  }

  /** Name and title of the base model. */
  get name() {
    return this.#description.name;
  }

  get title() {
    return this.#description.title;
  }

  /** Bytes that are kept for each picture. */
  get featureBytes() {
    return this.#worker.opened?.featureBytes ?? this.#parts.embedding?.featureBytes ?? 0;
  }

  get labels() {
    return [...this.#records.labels];
  }

  /** Which layers are trained: "last-layer", or one of `layersOffered`. */
  get layers() {
    return this.#layers;
  }

  /** What `setLayers` takes. */
  get layersOffered() {
    return layersIn(this.#description);
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
    const checked = checkedLabels(labels);
    const early = this.state === "starting" && this.#description.num_classes === null && arePlainLabels(checked);
    this.#records.setClasses(early ? { labels: checked, head: null } : await this.#call("setClasses", { labels: checked }));
    return this.labels;
  }

  /** @param {string} from @param {string} to */
  async renameClass(from, to) {
    const names = { from: checkedString(from, "the present name"), to: checkedString(to, "the new name") };
    this.#records.renameClass(from, to, await this.#call("renameClass", names));
    return this.labels;
  }

  /**
   * Pictures that cannot be used are skipped, each with its reason. The signal stops between two pictures. An item has a file, or pixels
   * without one, such as an ImageData: those in the model's size are what the model sees, others are resized and cropped as files are. Or a
   * function `open` that gets its file when its turn comes: of thousands only a few are in memory then.
   *
   * @param {LabelledPicture[]} items @param {{onProgress?: (progress: AddProgress) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<AddReport>}
   */
  async add(items, { onProgress = () => {}, signal } = {}) {
    const report = /** @type {AddReport} */ ({ added: 0, skipped: [], pictures: [], stopped: false });
    const checked = checkedItems(items, this.labels);
    report.stopped = await inOrder(checked, {
      width: this.#width,
      begin: ({ picture }) => askTwice(() => this.#features(picture)),
      end: async (item, features, index) => {
        const outcome = await this.#addOne(item, features, report);
        onProgress({ index, done: index + 1, total: checked.length, name: item.name, label: item.label, ...outcome });
      },
      stopped: () => Boolean(signal?.aborted),
    });
    return report;
  }

  /**
   * Makes the rows that training with `augment` learns from beside the pictures as they are: mirrored, and four crops of nine tenths of each
   * side, of which the model sees as much again. They are kept beside the picture's own row and go with it; nothing is judged by them.
   * items: as for `add`, of pictures that were added; with the `key` that `add` told, those that have their rows are not even read. The signal
   * stops between two pictures.
   *
   * @param {LabelledPicture[]} items
   * @param {import("./shared/protocol.js").Augment & {onProgress?: (progress: import("./module/augmenting.js").AugmentProgress) => void, signal?: AbortSignal}} options
   * @returns {Promise<import("./module/augmenting.js").AugmentReport>}
   */
  async augment(items, { onProgress = () => {}, signal, ...augment }) {
    const makers = { worker: this.#worker, embedders: this.#embedders, records: this.#records, width: this.#width };
    return augmentAll(checkedItems(items, this.labels), checkedAugment(augment), { ...makers, onProgress, stopped: () => Boolean(signal?.aborted) });
  }

  /**
   * What `train` with this augmentation would have: rows of each picture, its own too; bytes of them all, for all pictures that are in; and
   * the keys of pictures for which some are missing. These are learnt from with those rows that they have.
   *
   * @param {import("./shared/protocol.js").Augment} augment @returns {Promise<{rows: number, bytes: number, missing: string[]}>}
   */
  async augmentation(augment) {
    const { rows, missing } = await this.#call("augmentation", { augment: checkedAugment(augment) });
    return { rows, bytes: rows * this.featureBytes * this.#records.keys.size, missing };
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
   * Beside the head that is kept, which learns from all pictures, others learn from all but those that they judge, and near-duplicates of
   * them: history.judged has what they said. Up to 300 pictures are all judged, in a cross-validation of up to 5 folds, of more a fifth;
   * `folds` and `validation` (the share, 0 for none) ask for something else. They begin anew when pictures or classes have changed since the
   * last training, else they go on as the head does.
   *
   * @param {import("./shared/protocol.js").TrainOptions & {onProgress?: (progress: TrainProgress) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<import("./shared/protocol.js").History>}
   */
  async train({ onProgress, signal, ...options } = {}) {
    signal?.throwIfAborted();
    const { history, head } = await this.#call("train", { options: checkedTrainOptions(options) }, { onProgress, signal });
    this.#records.head = head;
    return history;
  }

  /** Groups of two or more pictures, whatever their class, that are the same or nearly. @returns {Promise<import("./shared/protocol.js").Placed[][]>} */
  async nearDuplicates() {
    return this.#call("nearDuplicates");
  }

  /** The added pictures that are nearest for the model, best first. @param {Blob | GivenPixels} picture @param {{count?: number}} [options] @returns {Promise<import("./shared/protocol.js").Similar[]>} */
  async similar(picture, { count = 3 } = {}) {
    const { features } = await this.#features(checkedPicture(picture));
    return this.#call("similar", { features, count });
  }

  /**
   * The probability below which the best answer means "none of these"; null for no threshold. It is exported with the model; predict() does
   * not look at it. @param {number | null} probability
   */
  async setNoneBelow(probability) {
    this.#records.noneBelow = await this.#call("setNoneBelow", { probability });
  }

  get noneBelow() {
    return this.#records.noneBelow;
  }

  /**
   * Trains other layers from now on: "last-block", say. What is kept of a picture is another then, and longer (`featureBytes`), so that every
   * picture is embedded again: items as for `add`, of all pictures that are in, handed over by the caller, who has their files. Classes stay;
   * the learnt head, the rows of `augment` and the threshold of `setNoneBelow` do not. If the signal stops it or it fails, all is as it was before. Nothing else may be asked
   * meanwhile. `lost`: pictures that were in and are not any more, because they were not handed over or could not be read again.
   *
   * @param {string} layers @param {LabelledPicture[]} [items] @param {{onProgress?: (progress: AddProgress) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<AddReport & {lost: {key: string, label: string}[]}>}
   */
  async setLayers(layers, items = [], options = {}) {
    const wanted = checkedLayers(layers, this.layersOffered);
    checkedItems(items, this.labels);
    if (wanted === this.#layers) return { added: 0, skipped: [], pictures: [], stopped: false, lost: [] };
    await this.ready;
    const [before, contents] = [this.#layers, this.#records.contents];
    try {
      await this.#useLayers(wanted, { ...contents, head: null, noneBelow: null, pictures: new Map(), rows: new Map() });
      const groups = new Map([...contents.pictures.values()].map(({ key, group }) => [key, group]));
      const report = await this.add(items.map((item) => ({ ...item, group: item.group ?? groups.get(item.key ?? "") })), options);
      if (report.stopped) await this.#useLayers(before, contents);
      return { ...report, lost: [...contents.pictures.values()].filter((one) => !this.#records.has(one)).map(({ key, label }) => ({ key, label })) };
    } catch (error) {
      if (this.state !== "disposed") await this.#useLayers(before, contents);
      throw error;
    }
  }

  /**
   * All that makes this one the classifier it is, for `restore` here or elsewhere; of the rows of `augment` nothing, which can be made again. Only to
   * be read: the arrays are those that are worked with.
   *
   * @returns {import("./module/contents.js").Contents}
   */
  get contents() {
    const { name, fingerprint } = this.#description;
    const { labels, pictures, head, noneBelow } = this.#records;
    return { base: { name, fingerprint }, layers: this.#layers, labels: [...labels], pictures, head, noneBelow };
  }

  /**
   * These contents in place of all that is here; no picture is needed for it, and nothing is embedded again. Nothing else may be asked meanwhile.
   * Rejects where they do not belong to this base model or do not fit together, and says what differs: all is as it was before then.
   *
   * @param {import("./module/contents.js").Contents} contents
   */
  async restore(contents) {
    const { layers, ...given } = checkedContents(contents, { base: this.contents.base, layersOffered: this.layersOffered });
    await this.ready;
    const [before, kept] = [this.#layers, this.#records.contents];
    try {
      await this.#useLayers(layers, given, given.labels);
    } catch (error) {
      if (this.state !== "disposed") await this.#useLayers(before, kept, kept.labels);
      throw error;
    }
  }

  /** All classes, the most probable first. @param {Blob | GivenPixels} picture @returns {Promise<import("./shared/protocol.js").Prediction[]>} */
  async predict(picture) {
    return this.#call("answer", await this.#features(checkedPicture(picture)));
  }

  /** What the base model makes of a picture, of which training and answers are made: `featureBytes` bytes. @param {Blob | GivenPixels} picture @returns {Promise<Float32Array>} */
  async features(picture) {
    const { features } = await this.#features(checkedPicture(picture));
    return features;
  }

  /** What the model sees of a picture: upright, cropped, RGB. @param {Blob | GivenPixels} picture @returns {Promise<{width: number, height: number, data: Uint8Array}>} */
  async pixels(picture) {
    return this.#call("pixels", { picture: checkedPicture(picture) });
  }

  /**
   * @param {LabelledPicture[]} items @param {{onProgress?: (progress: {done: number, total: number}) => void}} [options]
   * @returns {Promise<import("./shared/protocol.js").Metrics>}
   */
  async evaluate(items, { onProgress = () => {} } = {}) {
    const checked = checkedItems(items, this.labels);
    const answers = /** @type {string[]} */ ([]);
    await inOrder(checked, {
      width: this.#width,
      begin: ({ picture }) => this.#features(picture),
      end: async (_, features) => {
        const [{ label }] = await this.#call("answer", await features);
        answers.push(label);
        onProgress({ done: answers.length, total: checked.length });
      },
    });
    return this.#call("score", { truth: checked.map(({ label }) => label), answers });
  }

  /**
   * The trained model as one .onnx file: slices of the fetched files and the few bytes that were learnt. pictureInput: it takes a picture of
   * any size as it is, uint8 [height, width, 3], RGB and upright, and resizes, crops and normalises inside.
   *
   * @param {{pictureInput?: boolean}} [options]
   */
  async exportModel({ pictureInput = false } = {}) {
    const { parts } = await this.#call("exportModel", { pictureInput });
    const blobs = parts.map((part) => ("file" in part ? this.#slice(part) : part));
    return new Blob(blobs, { type: "application/octet-stream" });
  }

  /**
   * Opens an exported file from its bytes, asks it about pictures, and compares what it says with what `predict` says. The signal stops
   * between two pictures: it rejects with the signal's reason then. Nothing may be trained meanwhile.
   *
   * @param {Blob} file @param {import("./module/exported.js").Asked[]} pictures @param {import("./module/exported.js").CheckOptions} [options]
   * @returns {Promise<import("./module/exported.js").Checked>}
   */
  async checkExported(file, pictures, options = {}) {
    const features = (picture) => this.#features(picture);
    return checkExported(file, pictures, { ...options, worker: this.#worker, records: this.#records, features });
  }

  /** The training state as an ONNX Runtime checkpoint file. */
  async saveCheckpoint() {
    const { data } = await this.#call("saveCheckpoint");
    return new Blob([data], { type: "application/octet-stream" });
  }

  /**
   * All the work as one file, which `openProject` and Python open: see docs/project.md. pictures: `{key, label, name, file, confirmed}` of added
   * pictures, in the order in which they are to be listed, and of others with label null; with a file, that goes along. settings: what `train`
   * was asked for; training: what it answered. The file refers to the photos, it does not copy them.
   *
   * @param {Parameters<typeof projectFile>[2]} [told] @returns {Promise<Blob>}
   */
  async saveProject(told = {}) {
    const { contents } = this;
    return projectFile(contents, contents.head && (await this.saveCheckpoint()), told);
  }

  /**
   * What is in such a file in place of all that is here; all of it is checked before anything changes. `agree(told)` is asked then: with false,
   * nothing changes, and the answer is null. Else it is what the file told, its pictures with their photos as Files where they are in it.
   *
   * @param {Blob} file @param {{agree?: (told: import("./module/project/project_file.js").Told) => boolean | Promise<boolean>}} [options]
   */
  async openProject(file, { agree = () => true } = {}) {
    const { contents, checkpoint, told } = await readProject(checkedFile(file), this.contents);
    const head = checkpoint && (await this.#call("headOf", { checkpoint }));
    if (!(await agree(told))) return null;
    await this.restore({ ...contents, head });
    return told;
  }

  /** Only what was learnt, for others with the same base model: the difference of the trained parameters to what they began as. @returns {Promise<Blob>} */
  async saveDelta() {
    const { data } = await this.#call("saveDelta");
    return new Blob([data], { type: "application/octet-stream" });
  }

  /**
   * Learns at once what was learnt where a delta was saved. Pictures stay; where there are none, its classes are taken. Rejects where base model,
   * preparation of pictures or classes are others, and says which. @param {Blob} file
   */
  async applyDelta(file) {
    const { noneBelow, ...classes } = await this.#call("applyDelta", { delta: checkedFile(file) });
    this.#records.setClasses(classes);
    this.#records.noneBelow = noneBelow;
    return this.labels;
  }

  /** Ends the workers and lets go of all that is kept. Calls in flight reject, and so does `ready` if Python still starts. */
  dispose() {
    if (this.state === "disposed") return;
    this.#end();
    release();
  }

  /** Pictures under way at once: each embedding worker has one, and one waits for it. */
  get #width() {
    return 1 + 2 * (this.#embedders?.count ?? 0);
  }

  /** Settles when pictures can be taken: when the embedding workers are ready, or else Python. */
  async #start() {
    const starting = this.#startEmbedders();
    const { ready } = this;
    const embedders = starting.then(() => (this.#embedders ? undefined : ready));
    try {
      await Promise.race([embedders, ready]); // if Python fails later, the calls that need it tell
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async #startEmbedders() {
    const { embedding } = this.#parts;
    const found = embedding && this.#backend !== "numpy" ? await Embedders.start(embedding, workerCount()) : null;
    if (this.state === "disposed") found?.close();
    else this.#embedders = found;
  }

  /** Workers for these layers, and these contents of the records in their hands; for classes of these names. */
  async #useLayers(layers, contents, labels = this.#records.labels) {
    const others = layers !== this.#layers;
    const parts = others ? await partsFor(this.#whole, layers) : this.#parts;
    this.#records.labels = labels;
    this.#records.contents = contents;
    [this.#layers, this.#parts] = [layers, parts]; // as soon as the records are theirs
    await this.#worker.reopen(parts);
    if (!others) return;
    this.#embedders?.close();
    this.#embedders = null;
    await this.#startEmbedders();
  }

  #end() {
    this.#worker.dispose();
    this.#embedders?.close();
    this.#embedders = null;
    this.#whole = this.#parts = { ...this.#parts, artifacts: {}, embedding: null };
    this.#records.setClasses({ labels: [], head: new Uint8Array() });
    this.#records.noneBelow = null;
  }

  /** @param {import("./module/arguments.js").PictureSource} picture @returns {Promise<{key: string, hash: string, features: Float32Array}>} */
  #features(picture) {
    return featuresOf(picture, { worker: this.#worker, embedders: this.#embedders, records: this.#records });
  }

  /** @param {import("./module/arguments.js").CheckedItem} item */
  async #addOne({ label, name, group }, begun, report) {
    try {
      const { key, features, hash } = await begun;
      const picture = { key, label, name, duplicate: await this.#put({ key, label, features, hash, group }), hash };
      report.added += picture.duplicate ? 0 : 1;
      report.pictures.push(picture);
      return { picture };
    } catch (error) {
      if (!(error instanceof PagetrainError) || !["PictureError", "worker"].includes(error.kind)) throw error;
      const { message: reason, code, kind } = error;
      report.skipped.push({ label, name, reason, code: code || kind });
      return { reason, code: code || kind };
    }
  }

  /** Whether the class has the picture already. While Python starts it is only noted: Python is given all that is, once it is there. */
  async #put(picture) {
    const { key, label } = picture;
    const early = this.state === "starting";
    if (early) checkedClass(label, this.labels); // it may have gone meanwhile
    const duplicate = early ? this.#records.has({ key, label }) : (await askTwice(() => this.#call("put", picture))).duplicate;
    if (!duplicate) this.#records.add(picture);
    return duplicate;
  }

  #slice({ file, offset, length }) {
    return this.#parts.artifacts[file].slice(offset, offset + length);
  }

  #call(type, fields, options) {
    return this.#worker.call(type, fields, options);
  }
}

function nameOf(file) {
  return file instanceof File ? file.name : "";
}
