// One method per request of protocol.js: takes the request, returns the result's value, or that and what to transfer.

const PARAMETER_CHUNK = 4 * 1024 * 1024; // bytes of parameters.bin in this worker at a time
const SMALL_PART = 4096; // bytes that are not worth a blob
const FIRST_FILES = ["training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model"];

class Handlers {
  #python = /** @type {Python} */ (/** @type {unknown} */ (null)); // both until "start"
  #jpeg = /** @type {JpegDecoder} */ (/** @type {unknown} */ (null));

  async start({ runtime, manifest, artifacts }, { report }) {
    const step = (name, loaded) => report({ stage: "start", name, loaded, total: 3, bytes: 0 });
    step("python", 0);
    const jpegFile = runtime.find(({ path }) => path === "mozjpeg_dec.wasm");
    this.#jpeg = new JpegDecoder(jpegFile.content);
    closeNetwork(runtime, self);
    this.#python = await Python.start(runtime.filter(({ path }) => path.endsWith(".tar")).map(({ content }) => content));
    step("model", 1);
    const opened = this.#python.call("open", { manifest, files: await bytesOf(artifacts, FIRST_FILES) });
    step("parameters", 2);
    await this.#feed(artifacts.parameters);
    step("ready", 3);
    return { value: opened };
  }

  restore({ labels, pictures, head }) {
    this.#python.call("setClasses", { labels });
    for (const { key, label, features } of pictures) this.#python.call("restore", { key, label, features: bytesUnder(features) });
    if (head) this.#python.call("loadHead", { data: head });
    return { value: {} };
  }

  setClasses({ labels }) {
    return { value: { ...this.#python.call("setClasses", { labels }), head: this.#head() } };
  }

  renameClass({ from, to }) {
    return { value: { ...this.#python.call("renameClass", { from, to }), head: this.#head() } };
  }

  async add({ file, label }) {
    const added = this.#python.call("add", { ...(await this.#read(file)), label });
    const features = new Float32Array(added.features.slice().buffer);
    return { value: { ...added, features }, transfer: [features.buffer] };
  }

  async features({ file }) {
    const { features } = this.#python.call("features", await this.#read(file));
    return { value: new Float32Array(features.slice().buffer) };
  }

  async pixels({ file }) {
    return { value: this.#python.call("pixels", await this.#read(file)) };
  }

  remove({ key, label }) {
    return { value: this.#python.call("remove", { key, label }) };
  }

  move({ key, from, to }) {
    return { value: this.#python.call("move", { key, from, to }) };
  }

  async train({ options }, { report, stopped }) {
    const history = await train(this.#python, options, report, stopped);
    return { value: { history, head: this.#head() } };
  }

  async predict({ file }) {
    return { value: this.#python.call("predict", await this.#read(file)).answers };
  }

  /** One picture in memory at a time, however many there are. */
  async evaluate({ items }, { report }) {
    const answers = [];
    for (const { file } of items) {
      answers.push(this.#python.call("predict", await this.#read(file)).answers[0].label);
      report({ done: answers.length, total: items.length });
    }
    return { value: this.#python.call("score", { truth: items.map(({ label }) => label), answers }) };
  }

  /** What Python hands over becomes a blob at once: the browser keeps blobs outside of the tab. */
  exportModel() {
    this.#python.call("exportStart");
    const parts = [];
    for (let done = false; !done;) {
      const next = this.#python.call("exportNext");
      parts.push(...next.parts.map((part) => (part instanceof Uint8Array && part.length > SMALL_PART ? new Blob([part]) : part)));
      done = next.done;
    }
    return { value: { parts } };
  }

  saveCheckpoint() {
    return { value: this.#python.call("checkpoint") };
  }

  #head() {
    return this.#python.call("headState").data;
  }

  #read(file) {
    return readPicture(file, this.#python, this.#jpeg);
  }

  async #feed(parameters) {
    for (let offset = 0; offset < parameters.size; offset += PARAMETER_CHUNK) {
      const chunk = await parameters.slice(offset, offset + PARAMETER_CHUNK).arrayBuffer();
      this.#python.call("feedParameters", { chunk: new Uint8Array(chunk) });
    }
  }
}

async function bytesOf(files, names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, new Uint8Array(await files[name].arrayBuffer())])));
}

function bytesUnder(floats) {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}
