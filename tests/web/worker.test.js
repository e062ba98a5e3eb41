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
      if (name === "feedParameters") assert.equal(given.checked, true); // node has crypto.subtle, as the page that compared the hash
      if (name === "feedParameters") for (const byte of given.chunk) fed.push(byte);
      if (needing.includes(name) && fed.length < parameters.length) throw Object.assign(new Error("not loaded"), { fields: { kind: "NotLoadedError" } });
      if (name === "answer") throw Object.assign(new Error("train first"), { fields: { kind: "StateError" } });
      return name === "embed" ? { features: new Uint8Array(4) } : name === "headState" ? { data: "head" } : {};
    },
  };
  Object.assign(globalThis, { Python: { start: async () => python }, JpegDecoder: class {}, closeNetwork: () => new Promise(() => {}), self: {} });
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

test("class weights reach Python as a Map, which every class name can be a key of; what is no plain object as it is", async () => {
  const { handlers, python } = await startedHandlers(new Uint8Array());
  const given = [];
  python.call = (name, options) => (given.push(options?.classWeights), name === "fitNext" ? { done: true, history: { judged: { probabilities: new Uint8Array(4) } } } : { data: "" });
  const names = ["constructor", "toString", "hasOwnProperty", "__proto__", "b"];
  const weights = Object.fromEntries(names.map((name, index) => [name, index + 1]));
  for (const classWeights of [weights, "balanced", [1], null]) await handlers.train({ options: { classWeights } }, { report() {}, stopped: () => false });
  assert.deepEqual(given.filter((one) => one !== undefined), [new Map(names.map((name, index) => [name, index + 1])), "balanced", [1], null]);
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

test("WebAssembly that cannot be instantiated ends the wait for Python at once, with the cause", async () => {
  Object.assign(globalThis, { PYODIDE_LOCK: { packages: {} } });
  const { closeNetwork, RUNTIME_URL } = workerScope(["network.js"], ["closeNetwork", "RUNTIME_URL"]);
  const scope = { WebAssembly: {} };
  // Imports a function "m" "f" of type [] -> []: sections 1 and 2 of the binary format.
  const module = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x6d, 1, 0x66, 0, 0]));
  const broken = closeNetwork([{ path: "b.wasm", content: module }], scope);
  const instantiate = (imports) => scope.WebAssembly.instantiateStreaming(scope.fetch(`${RUNTIME_URL}b.wasm`), imports);
  await instantiate({ m: { f() {} } });
  assert.equal(await Promise.race([broken, new Promise((resolve) => setTimeout(resolve, 10, "waits"))]), "waits");
  await instantiate({ m: {} }).catch(() => {}); // as Pyodide does
  await assert.rejects(broken, WebAssembly.LinkError);
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
  const { filesOfTar, unpackTar } = workerScope(["damaged.js", "archive.js"], ["filesOfTar", "unpackTar"]);
  const [folders, files] = [[], {}];
  const FS = { mkdirTree: (path) => folders.push(path), writeFile: (path, contents, { canOwn }) => { files[path] = canOwn && contents; } };
  const [long, whole] = ["n".repeat(100), "x".repeat(1024)];
  const members = [tarMember("a/b.txt", "hello"), tarMember("a/empty", ""), tarMember("a/whole", whole), tarMember(long, "deep", "f/g")];
  const archive = new Uint8Array([...members.flat(), ...new Uint8Array(1024)]);
  unpackTar(FS, "/lib", filesOfTar(archive));
  const texts = Object.fromEntries(Object.entries(files).map(([path, contents]) => [path, new TextDecoder().decode(contents)]));
  assert.deepEqual(texts, { "/lib/a/b.txt": "hello", "/lib/a/empty": "", "/lib/a/whole": whole, [`/lib/f/g/${long}`]: "deep" });
  assert.deepEqual(folders, ["/lib/a", "/lib/f/g"]);
  assert.equal(files["/lib/a/b.txt"].buffer, archive.buffer);
});

const isDamaged = (file, what) => ({ fields }) =>
  fields.code === "damaged" && fields.message.startsWith(`${file} is damaged or of another build: `) && what.test(fields.message);

const changed = (bytes, at, value) => bytes.map((byte, index) => (index === at ? value : byte));

test("a damaged archive is named, with what is wrong", () => {
  const { filesOfTar } = workerScope(["damaged.js", "archive.js"], ["filesOfTar"]);
  const read = (bytes) => () => [...filesOfTar(new Uint8Array(bytes))];
  const [one, end] = [tarMember("a", "hello"), new Array(1024).fill(0)];
  assert.equal(read([...one, ...end])().length, 1);
  for (const [bytes, what] of [
    [[], /no files/], [end, /no files/], [one, /no end/], [one.slice(0, 300), /ends within a/], [one.slice(0, 516), /ends within a/],
    [one.slice(0, 100), /byte 0/], [[...one, ...new Array(512).fill(7), ...end], /byte 1024/],
    [changed(one, 124, 122), /ends within a/], // "z" is no octal digit
  ]) assert.throws(read(bytes), isDamaged("packages.tar", what));
});

const HEAD = { memoryBytes: 131072, tableLength: 1, freeTableIndexes: [], libraries: [], globals: {}, functions: [], hiwire: {}, runs: 2 };

/** A snapshot file by its own description: head, pairs of address and length, and the bytes of the runs. */
function snapshotFile(head, places = [0, 4, 131070, 2], bytes = 6) {
  const text = typeof head === "string" ? head : JSON.stringify(head);
  const padded = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4));
  const words = (numbers) => new Uint8Array(new Uint32Array(numbers).buffer);
  return new Uint8Array([...words([padded.length]), ...padded, ...words(places), ...new Array(bytes).fill(9)]);
}

test("a damaged snapshot is named, with what is wrong", () => {
  const { Snapshot } = workerScope(["damaged.js", "snapshot.js"], ["Snapshot"]);
  const whole = snapshotFile(HEAD);
  assert.deepEqual(new Snapshot(whole).head, HEAD);
  for (const [bytes, what] of [
    [whole.subarray(0, 0), /ends within its head/], [whole.subarray(0, 3), /ends within its head/], [whole.subarray(0, 40), /ends within its head/], [changed(whole, 3, 255), /ends within its head/],
    [snapshotFile("{"), /not JSON/], [snapshotFile("null"), /no usable memoryBytes, tableLength, runs/], [snapshotFile("7"), /no usable memoryBytes/],
    ...Object.keys(HEAD).map((key) => [snapshotFile({ ...HEAD, [key]: "x" }), new RegExp(`no usable ${key}$`)]),
    [snapshotFile({ ...HEAD, memoryBytes: 131071 }), /no usable memoryBytes/], [snapshotFile({ ...HEAD, runs: -1 }), /no usable runs/],
    [snapshotFile({ ...HEAD, runs: 4 }), /list of its runs/], [snapshotFile({ ...HEAD, memoryBytes: 65536 }), /run 1 lies outside/],
    [snapshotFile(HEAD, [0, 4, 131071, 2]), /run 1 lies outside/], [snapshotFile(HEAD, [0, 4, 0, 3]), /7 bytes, and 6 are there/],
    [whole.subarray(0, whole.length - 1), /6 bytes, and 5 are there/],
  ]) assert.throws(() => new Snapshot(bytes), isDamaged("python.snapshot", what), String(what));
});

test("a snapshot's bytes go to their addresses", async () => {
  const { Snapshot } = workerScope(["damaged.js", "snapshot.js"], ["Snapshot"]);
  const memory = new ArrayBuffer(131072);
  const table = { length: 1, grow() {} };
  const module = { API: {}, HEAPU8: new Uint8Array(memory), HEAP32: new Int32Array(memory), GOT: {}, wasmTable: table, freeTableIndexes: [], _PyEM_CountArgsPtr: 0, __PyRuntime: 64, __PyEM_EMSCRIPTEN_COUNT_ARGS_OFFSET: 128 };
  await new Snapshot(snapshotFile(HEAD)).continued(async () => module)({});
  assert.deepEqual(module.API.restoreSnapshot(), HEAD.hiwire);
  assert.deepEqual(Array.from(module.HEAPU8.entries()).filter(([, byte]) => byte === 9).map(([at]) => at), [0, 1, 2, 3, 131070, 131071]);
});

test("libraries are taken from the archive by their place in it; one that is not there is named", async () => {
  const { compiledLibraries } = workerScope(["damaged.js", "snapshot.js"], ["compiledLibraries"]);
  const empty = (name) => new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 0, 1 + name.length, name.length, ...new TextEncoder().encode(name)]); // a module of one custom section
  const libraries = ["b.so", "c/a.so"].map((path) => ({ handle: 0, name: `/lib/python3.12/site-packages/${path}`, words: [], nodelete: false }));
  const files = [["c/a.so", empty("one")], ["a.so", new Uint8Array()], ["b.so", empty("two")]];
  const compiled = await compiledLibraries({ libraries }, files);
  assert.deepEqual(compiled.map((module) => ["one", "two"].map((name) => WebAssembly.Module.customSections(module, name).length)), [[0, 1], [1, 0]]);
  await assert.rejects(compiledLibraries({ libraries }, files.slice(1)), isDamaged("packages.tar", /no .*c\/a\.so/));
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
