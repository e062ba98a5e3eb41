// The frozen part of a model as a list of calls, recorded from Python's own run when the artifacts were made: formats in docs/artifacts.md.

const MOST_CALLS = 20_000;

/**
 * @typedef {[string, ...(number | string | null | [number])[]]} Call   a function's name and its arguments; [n]: a pointer to byte n
 * @typedef {{address: number, shape: number[], strides: number[]}} Output   of one picture; address in bytes, strides in floats
 * @typedef {{memory: number, width: number, height: number, pixels: number, setup: Call[], picture: Call[], outputs: Output[]}} Document
 */
class Program {
  /** @type {SideModule} */
  #module;
  /** @type {Document} */
  #document;
  /** @type {(() => void)[]} */
  #calls;

  /**
   * Allocates the program's memory and prepares the weights in it. Throws where the program is none or does not go with the kernels.
   *
   * @param {WebAssembly.Module} library @param {Document} document @param {Blob} parameters
   */
  static async create(library, document, parameters) {
    check(document);
    const module = await SideModule.instantiate(library, document.memory);
    const file = new Uint8Array(await parameters.arrayBuffer()); // let go of when the weights are packed
    for (const instruction of document.setup) prepared(module, instruction, file, document.memory)();
    return new Program(module, document);
  }

  /** @param {SideModule} module @param {Document} document */
  constructor(module, document) {
    this.#module = module;
    this.#document = document;
    this.#calls = document.picture.map((call) => bound(module, call, document.memory));
  }

  /** The features of what the model sees. @param {Uint8Array} pixels RGB, row by row @returns {Float32Array} */
  run(pixels) {
    const { width, height, pixels: address, outputs } = this.#document;
    if (pixels.length !== width * height * 3) throw new Error(`what the model sees has ${width} x ${height} x 3 bytes, got ${pixels.length}`);
    this.#module.bytes(address, pixels.length).set(pixels);
    for (const call of this.#calls) call();
    return joined(outputs.map((output) => this.#gathered(output)));
  }

  /** The output's floats in C order. @param {Output} output */
  #gathered({ address, shape, strides }) {
    const reach = 1 + shape.reduce((sum, size, axis) => sum + (size - 1) * strides[axis], 0);
    const from = this.#module.floats(address, reach);
    const to = new Float32Array(sizeOf(shape));
    let next = 0;
    const walk = (axis, at) => {
      if (axis === shape.length) to[next++] = from[at];
      else for (let index = 0; index < shape[axis]; index += 1) walk(axis + 1, at + index * strides[axis]);
    };
    walk(0, 0);
    return to;
  }
}

/** What is not looked at here is refused by wasm itself, or harms nobody but this memory. @param {Document} document */
function check({ memory, width, height, pixels, setup, picture, outputs }) {
  const numbers = [memory, width, height, pixels, ...outputs.flatMap(({ address, shape, strides }) => [address, ...shape, ...strides])];
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) throw new Error("the program's sizes are no whole numbers");
  if (setup.length + picture.length > MOST_CALLS) throw new Error(`the program has ${setup.length + picture.length} calls, at most ${MOST_CALLS} are run`);
  const floats = outputs.reduce((sum, { shape }) => sum + sizeOf(shape), 0);
  if (width * height * 3 > memory || floats * 4 > memory) throw new Error("the program's picture or features do not fit into its memory");
}

/** @param {SideModule} module @param {any[]} instruction @param {Uint8Array} file @param {number} memory @returns {() => void} */
function prepared(module, [name, ...given], file, memory) {
  if (name === "file") {
    const [address, offset, length] = given;
    if (offset + length > file.length) throw new Error(`the program reads beyond the ${file.length} bytes of the parameters`);
    return () => module.bytes(address, length).set(file.subarray(offset, offset + length));
  }
  if (name === "constant") {
    const [address, text] = given;
    const values = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return () => module.bytes(address, values.length).set(values);
  }
  return bound(module, [name, ...given], memory);
}

/** @param {SideModule} module @param {Call} call @param {number} memory @returns {() => void} */
function bound(module, [name, ...given], memory) {
  const run = module.function(name, given.length);
  const values = given.map((value) => argument(module, value, memory));
  return () => run(...values);
}

function argument(module, value, memory) {
  if (value === null) return 0;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  if (typeof value === "number") return value;
  const [address] = value;
  if (!(Number.isSafeInteger(address) && address >= 0 && address < memory)) throw new Error(`the program has a pointer to byte ${address} of ${memory}`);
  return module.pointer(address);
}

function sizeOf(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

function joined(arrays) {
  if (arrays.length === 1) return arrays[0];
  const whole = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    whole.set(array, at);
    at += array.length;
  }
  return whole;
}
