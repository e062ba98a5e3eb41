// One method per request of protocol.js: takes the request, returns the result's value, or that and what to transfer.

const PARAMETER_CHUNK = 4 * 1024 * 1024; // bytes of parameters.bin in this worker at a time
const SMALL_PART = 4096; // bytes that are not worth a blob
const FIRST_FILES = ["training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model"];

class Handlers {
  #python = /** @type {Python} */ (/** @type {unknown} */ (null)); // all until "start"
  #jpeg = /** @type {JpegDecoder} */ (/** @type {unknown} */ (null));
  #parameters = /** @type {Blob} */ (/** @type {unknown} */ (null));
  #fed = /** @type {Promise<void> | null} */ (null);

  async start({ runtime, manifest, artifacts, backend }, { report }) {
    const step = (name, loaded) => report({ stage: "start", name, loaded, total: 2, bytes: 0 });
    step("python", 0);
    const contentOf = (name) => runtime.find(({ path }) => path === name).content;
    this.#jpeg = new JpegDecoder(contentOf("mozjpeg_dec.wasm"));
    const broken = closeNetwork(runtime, self);
    this.#python = await Promise.race([Python.start(contentOf("python.snapshot"), contentOf("packages.tar")), broken]);
    step("model", 1);
    const opened = await this.open({ manifest, artifacts, backend });
    step("ready", 2);
    setTimeout(() => this.#python.call("prepare")); // after the answer: while the page waits for pictures
    return opened;
  }

  /** These artifacts in place of those before; what was done with those is gone. */
  async open({ manifest, artifacts, backend }) {
    const files = await bytesOf(artifacts, FIRST_FILES);
    const value = this.#python.call("open", { manifest, backend: backend === "auto" ? "" : backend, files });
    this.#parameters = artifacts.parameters;
    this.#fed = null;
    return { value };
  }

  restore({ labels, pictures, rows, head, noneBelow }) {
    this.#python.call("setClasses", { labels });
    for (const picture of pictures) this.put(picture);
    for (const row of rows) this.putRow(row);
    if (head) checkSame(labels, this.#python.call("loadHead", { data: head }).labels);
    this.setNoneBelow({ probability: noneBelow });
    return { value: {} };
  }

  async setClasses({ labels }) {
    return { value: { ...this.#python.call("setClasses", { labels }), head: await this.#head() } };
  }

  async renameClass({ from, to }) {
    return { value: { ...this.#python.call("renameClass", { from, to }), head: await this.#head() } };
  }

  /** What the model sees of a picture, or at once its features, where Python knows them. */
  async look({ picture }) {
    const { key, hash, features, pixels } = this.#python.call("look", await this.#read(picture));
    return features ? { value: { key, hash, features: floatsOf(features) } } : { value: { key, hash, pixels }, transfer: [pixels.buffer] };
  }

  async embed({ pixels }) {
    return { value: floatsOf((await this.#ask("embed", { pixels })).features) };
  }

  put({ key, label, features, hash, group = "" }) {
    return { value: this.#python.call("restore", { key, label, hash, group, features: bytesUnder(features) }) };
  }

  augmentation({ augment }) {
    return { value: this.#python.call("augmentation", { augment }) };
  }

  /** What the model sees of the variants of a picture that has no rows of them. */
  async vary({ picture, augment }) {
    const value = this.#python.call("vary", { ...(await this.#read(picture)), augment });
    return { value, transfer: value.variants.map(({ pixels }) => pixels.buffer) };
  }

  putRow({ key, variant, features }) {
    return { value: this.#python.call("restoreRow", { key, variant, features: bytesUnder(features) }) };
  }

  async answer({ key, features, hash }) {
    return { value: (await this.#ask("answer", { key, hash, features: bytesUnder(features) })).answers };
  }

  similar({ features, count }) {
    return { value: this.#python.call("similar", { features: bytesUnder(features), count }).pictures };
  }

  nearDuplicates() {
    return { value: this.#python.call("nearDuplicates").groups };
  }

  setNoneBelow({ probability }) {
    return { value: orNull(this.#python.call("setNoneBelow", { probability }).probability) };
  }

  score({ truth, answers }) {
    return { value: this.#python.call("score", { truth, answers }) };
  }

  async pixels({ picture }) {
    return { value: this.#python.call("pixels", await this.#read(picture)) };
  }

  remove({ key, label }) {
    return { value: this.#python.call("remove", { key, label }) };
  }

  move({ key, from, to }) {
    return { value: this.#python.call("move", { key, from, to }) };
  }

  async train({ options }, { report, stopped }) {
    const counts = await this.#ask("fitStart", byName(options));
    const { judged, ...history } = await train(this.#python, counts, report, stopped);
    const probabilities = floatsOf(judged.probabilities);
    return { value: { history: { ...history, judged: { ...judged, probabilities } }, head: await this.#head() }, transfer: [probabilities.buffer] };
  }

  /** What Python hands over becomes a blob at once: the browser keeps blobs outside of the tab. */
  async exportModel({ pictureInput }) {
    await this.#ask("exportStart", { pictureInput });
    const parts = [];
    for (let done = false; !done;) {
      const next = this.#python.call("exportNext");
      parts.push(...next.parts.map((part) => (part instanceof Uint8Array && part.length > SMALL_PART ? new Blob([/** @type {BlobPart} */ (part)]) : part)));
      done = next.done;
    }
    return { value: { parts } };
  }

  /** The exported file is read anew: nothing of what it was made of is used from here on. */
  async openExported({ file }) {
    const exported = this.#python.call("exportedOpen", { data: new Uint8Array(await file.arrayBuffer()) });
    return { value: { ...exported, noneBelow: orNull(exported.noneBelow) } };
  }

  async askExported({ picture }) {
    return { value: this.#python.call("exportedAnswer", await this.#read(picture)).answers };
  }

  endExported({ facts }) {
    return { value: this.#python.call("exportedEnd", { facts }) };
  }

  async saveCheckpoint() {
    return { value: await this.#ask("checkpoint") };
  }

  /** The trained part of a whole checkpoint; nothing is loaded. */
  async headOf({ checkpoint }) {
    return { value: this.#python.call("headOf", { checkpoint: new Uint8Array(await checkpoint.arrayBuffer()) }).data };
  }

  async saveDelta() {
    return { value: await this.#ask("saveDelta") };
  }

  async applyDelta({ delta }) {
    const applied = await this.#ask("applyDelta", { data: new Uint8Array(await delta.arrayBuffer()) });
    return { value: { ...applied, noneBelow: orNull(applied.noneBelow), head: await this.#head() } };
  }

  async #head() {
    return (await this.#ask("headState")).data;
  }

  #read(picture) {
    return picture instanceof Blob ? readPicture(picture, this.#python, this.#jpeg) : { data: null, pixels: picture };
  }

  /** A call that may need parameters.bin, which Python gets when the first does: where other workers embed, perhaps none. */
  async #ask(name, given) {
    try {
      return this.#python.call(name, given);
    } catch (error) {
      if (error.fields?.kind !== "NotLoadedError") throw error;
      await (this.#fed ??= this.#feed());
      return this.#python.call(name, given);
    }
  }

  async #feed() {
    const parameters = this.#parameters;
    const checked = Boolean(globalThis.crypto?.subtle); // then the page has compared the hash, ten times as fast as Python would
    for (let offset = 0; offset < parameters.size; offset += PARAMETER_CHUNK) {
      const chunk = await parameters.slice(offset, offset + PARAMETER_CHUNK).arrayBuffer();
      this.#python.call("feedParameters", { chunk: new Uint8Array(chunk), checked });
    }
  }
}

/** A head brings its own classes. */
function checkSame(labels, own) {
  if (labels.length === own.length && labels.every((label, index) => label === own[index])) return;
  const message = `The head is for the classes ${own.join(", ")}, and these are ${labels.join(", ")}.`;
  throw Object.assign(new Error(message), { fields: { kind: "InvalidInputError", code: "", message } });
}

/** A threshold, which says null for none, as the page does; Python's None comes as undefined. */
function orNull(threshold) {
  return threshold ?? null;
}

/** Class weights as a Map: Pyodide takes an object with a class "constructor" for something else than plain. */
function byName(options) {
  const { classWeights } = options;
  const isPlain = typeof classWeights === "object" && classWeights !== null && Object.getPrototypeOf(classWeights) === Object.prototype;
  return isPlain ? { ...options, classWeights: new Map(Object.entries(classWeights)) } : options;
}

async function bytesOf(files, names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, new Uint8Array(await files[name].arrayBuffer())])));
}

function floatsOf(bytes) {
  return new Float32Array(bytes.slice().buffer); // a copy starts where floats may
}

function bytesUnder(floats) {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}
