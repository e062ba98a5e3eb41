import assert from "node:assert/strict";
import test from "node:test";
import { workerScope } from "./worker_scope.js";

/** Three epochs of two steps, one step a call. */
function fakePython() {
  let done = 0;
  return {
    calls: [],
    call(name) {
      this.calls.push(name);
      if (name === "fitStop") return { done: true, history: { bestEpoch: 1 } };
      if (done === 6) return { done: true, history: { bestEpoch: 3 } };
      done += 1;
      return { done: false, progress: { epoch: Math.ceil(done / 2), epochs: 3, step: done, steps: 6, loss: 1 } };
    },
  };
}

test("training reports each step with counts and the time left, and ends with Python's history", async () => {
  const { train } = workerScope(["training.js"], ["train"]);
  const seen = [];
  const history = await train(fakePython(), { trainCount: 8, validationCount: 2 }, (progress) => seen.push(progress), () => false);
  assert.deepEqual(history, { bestEpoch: 3, trainCount: 8, validationCount: 2 });
  assert.deepEqual(seen.map(({ step }) => step), [1, 2, 3, 4, 5, 6]);
  assert.equal(seen.at(-1).secondsLeft, 0);
  assert.ok(seen.every(({ stepMs, secondsLeft, validationCount }) => stepMs >= 0 && secondsLeft >= 0 && validationCount === 2));
});

test("a stop ends training after the present step and keeps what Python says is best", async () => {
  const { train } = workerScope(["training.js"], ["train"]);
  const python = fakePython();
  assert.equal((await train(python, {}, () => {}, () => true)).bestEpoch, 1);
  assert.deepEqual(python.calls, ["fitNext", "fitStop"]);
});

/** Handlers over a Python that lacks the model's parameters until it was fed them all; `fed`: what it got. */
async function startedHandlers(parameters) {
  const fed = [];
  const needing = ["embed", "checkpoint"];
  const python = {
    calls: [],
    call(name, given) {
      this.calls.push(name);
      if (name === "feedParameters") for (const byte of given.chunk) fed.push(byte);
      if (needing.includes(name) && fed.length < parameters.length) throw Object.assign(new Error("not loaded"), { fields: { kind: "NotLoadedError" } });
      if (name === "answer") throw Object.assign(new Error("train first"), { fields: { kind: "StateError" } });
      return name === "embed" ? { features: new Uint8Array(4) } : name === "headState" ? { data: "head" } : {};
    },
  };
  Object.assign(globalThis, { Python: { start: async () => python }, JpegDecoder: class {}, closeNetwork() {}, self: {} });
  const { Handlers } = workerScope(["training.js", "handlers.js"], ["Handlers"]);
  const handlers = new Handlers();
  const artifacts = Object.fromEntries(["training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model"].map((name) => [name, new Blob([])]));
  const runtime = ["mozjpeg_dec.wasm", "python.snapshot", "packages.tar"].map((path) => ({ path, content: {} }));
  await handlers.start({ runtime, manifest: "", artifacts: { ...artifacts, parameters: new Blob([parameters]) }, backend: "auto" }, { report() {} });
  return { handlers, python, fed };
}

test("Python gets no parameters where nothing asks for them, and another refusal brings none", async () => {
  const { handlers, fed } = await startedHandlers(new Uint8Array([1, 2, 3]));
  await handlers.setClasses({ labels: ["a"] });
  handlers.put({ key: "k", label: "a", features: new Float32Array(1) });
  await assert.rejects(handlers.answer({ key: "k", features: new Float32Array(1) }), /train first/);
  assert.deepEqual(fed, []);
});

test("the first call that needs the parameters waits until Python has the whole file, piece by piece and once", async () => {
  const parameters = new Uint8Array(9 * 1024 * 1024).map((_, index) => index % 251);
  const { handlers, python, fed } = await startedHandlers(parameters);
  assert.equal((await handlers.embed({ pixels: new Uint8Array(3) })).value.length, 1);
  assert.ok(Buffer.from(fed).equals(Buffer.from(parameters)));
  await handlers.saveCheckpoint();
  assert.deepEqual(python.calls.filter((name) => name !== "prepare"), ["open", "embed", "feedParameters", "feedParameters", "feedParameters", "embed", "checkpoint"]);
});

test("parameters that cannot be read fail every call that needs them, and Python is not fed them twice", async () => {
  const { handlers, python } = await startedHandlers(new Uint8Array([1, 2, 3]));
  const call = python.call;
  python.call = (name, given) => {
    if (name === "feedParameters") throw Object.assign(new Error("damaged"), { fields: { kind: "FormatError" } });
    return call.call(python, name, given);
  };
  for (let time = 0; time < 2; time += 1) await assert.rejects(handlers.embed({ pixels: new Uint8Array(3) }), /damaged/);
});

test("the closed network gives the files it was handed and nothing else", async () => {
  Object.assign(globalThis, { PYODIDE_LOCK: { packages: {} } }); // set-up writes it into the worker's script
  const { closeNetwork, RUNTIME_URL } = workerScope(["network.js"], ["closeNetwork", "RUNTIME_URL"]);
  const scope = { WebAssembly: {} };
  const module = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])); // the smallest: magic and version
  closeNetwork([{ path: "a.txt", content: new Blob(["hello"]) }, { path: "b.wasm", content: module }], scope);
  assert.equal(await (await scope.fetch(`${RUNTIME_URL}a.txt`)).text(), "hello");
  const streamed = await scope.WebAssembly.instantiateStreaming(scope.fetch(`${RUNTIME_URL}b.wasm`), {});
  assert.equal(streamed.module, module);
  assert.deepEqual(await (await scope.fetch(`${RUNTIME_URL}pyodide-lock.json`)).json(), { packages: {} });
  for (const url of [`${RUNTIME_URL}other`, "https://example.invalid/", "a.txt"]) await assert.rejects(scope.fetch(url), TypeError);
});

/** One file as POSIX's pax(1) lays it out: 512 bytes of header in octal and text, then the contents in whole blocks. */
function tarMember(name, text, folder = "") {
  const bytes = new Uint8Array(512 + Math.ceil(text.length / 512) * 512);
  const put = (at, value) => bytes.set(new TextEncoder().encode(value), at);
  put(0, name);
  put(124, text.length.toString(8).padStart(11, "0"));
  put(257, "ustar\0" + "00");
  put(345, folder);
  put(512, text);
  return [...bytes];
}

test("an archive's files are written below a folder, as views and each folder once", () => {
  const { unpackTar } = workerScope(["archive.js"], ["unpackTar"]);
  const [folders, files] = [[], {}];
  const FS = { mkdirTree: (path) => folders.push(path), writeFile: (path, contents, { canOwn }) => { files[path] = canOwn && contents; } };
  const [long, whole] = ["n".repeat(100), "x".repeat(1024)];
  const members = [tarMember("a/b.txt", "hello"), tarMember("a/empty", ""), tarMember("a/whole", whole), tarMember(long, "deep", "f/g")];
  const archive = new Uint8Array([...members.flat(), ...new Uint8Array(1024)]);
  unpackTar(FS, "/lib", archive);
  const texts = Object.fromEntries(Object.entries(files).map(([path, contents]) => [path, new TextDecoder().decode(contents)]));
  assert.deepEqual(texts, { "/lib/a/b.txt": "hello", "/lib/a/empty": "", "/lib/a/whole": whole, [`/lib/f/g/${long}`]: "deep" });
  assert.deepEqual(folders, ["/lib/a", "/lib/f/g"]);
  assert.equal(files["/lib/a/b.txt"].buffer, archive.buffer);
});

test("Python's verdict decides who makes the pixels; a JPEG that the decoder cannot do is left to Python", async () => {
  const { readPicture } = workerScope(["decode.js", "picture.js"], ["readPicture"]);
  const python = (decoder) => ({ call: () => ({ format: "X", decoder }) });
  const file = new Blob([new Uint8Array([1, 2])]);
  const pixels = { width: 1, height: 1, channels: 4, data: new Uint8Array(4) };
  assert.deepEqual(await readPicture(file, python("jpeg"), { decode: async () => pixels }), { data: new Uint8Array([1, 2]), pixels });
  assert.equal((await readPicture(file, python("jpeg"), { decode: async () => null })).pixels, null);
  assert.equal((await readPicture(file, python("pillow"), {})).pixels, null);
});

test("a file that is too large is refused unread, one that cannot be read is named", async () => {
  const { readPicture, MAX_FILE_BYTES } = workerScope(["decode.js", "picture.js"], ["readPicture", "MAX_FILE_BYTES"]);
  const huge = { size: MAX_FILE_BYTES + 1, arrayBuffer: () => assert.fail("read") };
  const gone = { size: 1, arrayBuffer: () => Promise.reject(new Error("gone")) };
  await assert.rejects(readPicture(huge, {}, {}), ({ fields }) => fields.kind === "PictureError" && fields.code === "too-large");
  await assert.rejects(readPicture(gone, {}, {}), ({ fields }) => fields.code === "unreadable" && /gone/.test(fields.message));
});

test("a JPEG decoder that fails is made anew for the next picture", async () => {
  const { JpegDecoder } = workerScope(["decode.js"], ["JpegDecoder"]);
  let made = 0;
  globalThis.createJpegDecoder = async () => ({
    number: ++made,
    decode() {
      if (this.number === 1) throw new Error("Aborted()");
      return { width: 1, height: 1, data: new Uint8ClampedArray(4) };
    },
  });
  const decoder = new JpegDecoder(null);
  assert.equal(await decoder.decode(new Uint8Array(1)), null);
  assert.equal((await decoder.decode(new Uint8Array(1))).width, 1);
  assert.equal(made, 2);
});

/** Pyodide as python.js uses it, around a `call` of the session. */
function fakePyodide(call) {
  const destroyed = [];
  const proxy = (name, fields = {}) => ({ ...fields, destroy: () => destroyed.push(name) });
  const session = { call: (name, given) => proxy("answer", { toJs: () => call(name, given) }) };
  return { destroyed, _api: {}, toPy: (given) => proxy("given", { given }), pyimport: () => proxy("bridge", { Session: () => session }) };
}

test("a call into Python destroys every proxy, whether it answers or fails", () => {
  const { Python } = workerScope(["python.js"], ["Python"]);
  const pyodide = fakePyodide((name) => (name === "fail" ? { error: { kind: "StateError", message: "not now" } } : { ok: 7 }));
  const python = new Python(pyodide);
  assert.equal(python.call("add", {}), 7);
  assert.throws(() => python.call("fail", {}), ({ fields }) => fields.kind === "StateError");
  assert.deepEqual(pyodide.destroyed, ["bridge", "given", "answer", "given", "answer"]);
});

test("whatever leaves Session.call as an exception means that Python is dead, in its own words", () => {
  const { Python, DeadPython } = workerScope(["python.js"], ["Python", "DeadPython"]);
  const pyodide = fakePyodide(() => {
    pyodide._api.on_fatal?.("RuntimeError: memory access out of bounds");
    throw new Error("Pyodide already fatally failed and can no longer be used.");
  });
  const python = new Python(pyodide);
  assert.throws(() => python.call("add", {}), (error) => error instanceof DeadPython && /out of bounds/.test(error.message));
});
