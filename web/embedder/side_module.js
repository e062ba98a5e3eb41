// The kernels in a memory of their own: the same file that Python loads, without Python.

const STACK_BYTES = 64 * 1024; // below everything else, so that an overflow traps
const DATA_BYTES = 64 * 1024; // the module's own constants, of which there are next to none
const MOST_BYTES = 512 * 1024 * 1024; // of one program
const PAGE_BYTES = 64 * 1024;

class SideModule {
  #base = STACK_BYTES + DATA_BYTES;
  #exports;
  #memory;

  /** With room for a program of that many bytes. @param {WebAssembly.Module} library @param {number} bytes */
  static async instantiate(library, bytes) {
    if (!(Number.isSafeInteger(bytes) && bytes > 0 && bytes <= MOST_BYTES)) throw new Error(`the program asks for ${bytes} bytes of memory, at most ${MOST_BYTES} can be had`);
    const pages = Math.ceil((STACK_BYTES + DATA_BYTES + bytes) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const constant = (value) => new WebAssembly.Global({ value: "i32", mutable: false }, value);
    const env = {
      memory,
      __memory_base: constant(STACK_BYTES),
      __table_base: constant(0),
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, STACK_BYTES),
      __indirect_function_table: new WebAssembly.Table({ initial: 0, element: "anyfunc" }),
    };
    const instance = await WebAssembly.instantiate(library, { env });
    return new SideModule(instance.exports, memory);
  }

  /** @param {any} exports @param {WebAssembly.Memory} memory */
  constructor(exports, memory) {
    exports.__wasm_apply_data_relocs?.();
    this.#exports = exports;
    this.#memory = memory;
  }

  /** The C function of that name, which must take that many arguments. @param {string} name @param {number} arity @returns {Function} */
  function(name, arity) {
    const found = Object.hasOwn(this.#exports, name) && !name.startsWith("_") ? this.#exports[name] : null;
    if (typeof found !== "function" || found.length !== arity) throw new Error(`the kernels have no function ${name} of ${arity} arguments`);
    return found;
  }

  /** A pointer to a place of the program. @param {number} address */
  pointer(address) {
    return this.#base + address;
  }

  /** `length` bytes of the program's memory; throws RangeError where it has not so many. @param {number} address @param {number} length */
  bytes(address, length) {
    return new Uint8Array(this.#memory.buffer, this.pointer(address), length);
  }

  /** As `bytes`, for floats. @param {number} address @param {number} length */
  floats(address, length) {
    return new Float32Array(this.#memory.buffer, this.pointer(address), length);
  }
}
