import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { workerScope } from "./worker_scope.js";

const { Program } = workerScope(["side_module.js", "program.js"], ["Program"], "embedder");
const library = new WebAssembly.Module(readFileSync(new URL("../../pyodide_pkg/pagetrain_accelerator/simd.wasm", import.meta.url)));
const base64 = (array) => Buffer.from(array.buffer).toString("base64");

/** Two pixels, (x - mean) / std, summed over the pixels; a weight from the parameters' file is added, and all is clamped from below. */
const DOCUMENT = {
  memory: 128,
  width: 2,
  height: 1,
  pixels: 0,
  outputs: [{ address: 96, shape: [3], strides: [1] }],
  setup: [
    ["constant", 16, base64(new Float32Array([1, 2, 3]))],
    ["constant", 32, base64(new Float32Array([2, 2, 4]))],
    ["file", 80, 4, 12],
  ],
  picture: [
    ["normalize", [0], [16], [32], [48], 2, 3],
    ["pixel_sums", [48], [96], 1, 2, 3, 0.5],
    ["add", [96], [80], [96], 3],
    ["clip", [96], [96], 3, 1.5, "inf"],
  ],
};
const PARAMETERS = new Blob([new Float32Array([99, 0, 10, 100])]);
const create = (changes = {}) => Program.create(library, { ...structuredClone(DOCUMENT), ...changes }, PARAMETERS);

test("a program does its calls on pixels, constants and the parameters' file, picture after picture", async () => {
  const program = await create();
  const pixels = new Uint8Array([3, 4, 7, 5, 6, 11]);
  const expected = [(1 + 2) / 2, (1 + 2) / 2 + 10, (1 + 2) / 2 + 100];
  assert.deepEqual([...program.run(pixels)], expected);
  assert.deepEqual([...program.run(new Uint8Array([1, 2, 3, 1, 2, 3]))], [1.5, 10, 100]);
  assert.deepEqual([...program.run(pixels)], expected);
});

test("outputs come in C order whatever their strides, one behind another", async () => {
  const outputs = [{ address: 48, shape: [3, 2], strides: [1, 3] }, DOCUMENT.outputs[0]];
  const program = await create({ outputs, setup: DOCUMENT.setup.slice(0, 2), picture: DOCUMENT.picture.slice(0, 2) });
  assert.deepEqual([...program.run(new Uint8Array([3, 4, 7, 5, 6, 11]))], [1, 2, 1, 2, 1, 2, 1.5, 1.5, 1.5]);
});

test("a picture of another size is refused", async () => {
  const program = await create();
  assert.throws(() => program.run(new Uint8Array(5)), /2 x 1 x 3 bytes, got 5/);
});

const call = (...all) => ({ picture: [all] });
const damaged = {
  "no functions of that name": [call("__proto__", 1), /no function __proto__/],
  "the module's own start": [call("__wasm_apply_data_relocs"), /no function __wasm/],
  "too few arguments": [call("add", [0], [0], [0]), /no function add of 3/],
  "a pointer beyond": [call("add", [0], [128], [0], 1), /pointer to byte 128 of 128/],
  "a negative pointer": [call("add", [-8], [0], [0], 1), /pointer to byte -8/],
  "memory beyond all machines": [{ memory: 1e15 }, /asks for 1000000000000000 bytes/],
  "memory that is no number": [{ memory: "many" }, /no whole numbers/],
  "features beyond the memory": [{ outputs: [{ address: 0, shape: [1e6, 1e6], strides: [1, 1] }] }, /do not fit/],
  "more calls than are run": [{ picture: Array(20_001).fill(DOCUMENT.picture[2]) }, /20004 calls/],
  "parameters that are not there": [{ setup: [["file", 0, 8, 12]] }, /beyond the 16 bytes/],
  "a picture beyond the memory": [{ width: 1e6, height: 1e6 }, /do not fit/],
  "a constant beyond the memory": [{ setup: [["constant", 1e9, "AAAA"]] }, RangeError],
  "no calls at all": [{ picture: undefined }, TypeError],
};

for (const [name, [changes, error]] of Object.entries(damaged)) {
  test(`a program with ${name} is refused before it runs`, async () => {
    await assert.rejects(create(changes), error);
  });
}

test("a call that reaches beyond the memory traps, and the next picture may go on", async () => {
  const program = await create(call("add", [0], [0], [0], 1e8));
  assert.throws(() => program.run(new Uint8Array(6)), WebAssembly.RuntimeError);
  assert.throws(() => program.run(new Uint8Array(6)), WebAssembly.RuntimeError);
});
