// Python as it was after its imports: its memory, and where in it its shared libraries lie. sitebuild/snapshot.mjs takes it with this code.
//
// A snapshot file holds, little-endian: the length of the head (uint32), the head (JSON, padded with spaces to a multiple of 4 bytes),
// head.runs pairs of address and length (uint32), and the bytes of these runs one behind another. The runs are what differs from the
// memory that loading the libraries into a new interpreter gives.

/** Of loadPyodide, when a snapshot is taken and when it goes on: C writes them into its memory before Python starts. */
const SURROUNDINGS = { _sysExecutable: "python", env: { HOME: "/", LANG: "C.UTF-8", PYTHONHASHSEED: "0" } };

/**
 * @typedef {{handle: number, name: string, words: number[], nodelete: boolean}} Library
 *   handle: address of what dlopen made; words: five of it from byte 8 on: whether it is placed, memory address and size, table index and size
 * @typedef {{memoryBytes: number, tableLength: number, freeTableIndexes: number[], libraries: Library[],
 *   globals: Record<string, number>, functions: [number, string, string][], hiwire: object, runs: number, sha256: string}} Head
 *   globals: of the global offset table, by symbol; functions: table index, library and export of those outside of the libraries' own places;
 *   hiwire: what Python holds of JavaScript; sha256: of the whole memory, with 0 for the argument counter
 */

class Snapshot {
  #bytes;
  #runsBegin;
  /** @type {Head} */
  head;

  /** @param {Uint8Array} bytes a snapshot file */
  constructor(bytes) {
    const headBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    this.#bytes = bytes;
    this.#runsBegin = 4 + headBytes;
    this.head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, this.#runsBegin)));
  }

  /**
   * Pyodide's `create` for an interpreter that goes on from here; loadPyodide calls API.restoreSnapshot if its option _loadSnapshot is given.
   *
   * @param {(settings: any) => Promise<any>} create
   */
  continued(create) {
    return async (settings) => {
      settings.INITIAL_MEMORY = this.head.memoryBytes;
      const module = await create(settings);
      module.API.restoreSnapshot = () => {
        placeLibraries(module, this.head);
        this.#fill(module.HEAPU8);
        module.HEAP32[placeOfArgumentCounter(module)] = module._PyEM_CountArgsPtr;
        return this.head.hiwire;
      };
      return module;
    };
  }

  #fill(memory) {
    const { runs } = this.head;
    const places = new Uint32Array(this.#bytes.slice(this.#runsBegin, this.#runsBegin + 8 * runs).buffer);
    let at = this.#runsBegin + 8 * runs;
    for (let run = 0; run < runs; run += 1) {
      const length = places[2 * run + 1];
      memory.set(this.#bytes.subarray(at, at + length), places[2 * run]);
      at += length;
    }
  }
}

/** Index in HEAP32 of the pointer to what counts a function's arguments, which an interpreter has where the browser knows WasmGC, and 0 elsewhere. */
function placeOfArgumentCounter(module) {
  return (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_COUNT_ARGS_OFFSET >> 2]) >> 2;
}

/**
 * Loads the libraries to the places they had. Their memory is then as new; the snapshot overwrites it. A symbol that has its value already
 * is left alone by the loader, so function pointers in the snapshot stay right.
 *
 * @param {any} module a new interpreter @param {Omit<Head, "runs" | "sha256">} head
 */
function placeLibraries(module, { tableLength, freeTableIndexes, libraries, globals, functions }) {
  for (const [symbol, value] of Object.entries(globals)) {
    module.GOT[symbol] ??= new WebAssembly.Global({ value: "i32", mutable: true });
    module.GOT[symbol].value = value;
  }
  module.wasmTable.grow(tableLength - module.wasmTable.length);
  for (const { handle, name, words, nodelete } of libraries) {
    module.HEAPU32.set(words, (handle + 8) >> 2);
    module.loadDynamicLibrary(name, { global: false, nodelete, loadAsync: false, fs: module.FS }, {}, handle);
  }
  for (const [index, library, symbol] of functions) module.setWasmTableEntry(index, module.LDSO.loadedLibsByName[library].exports[symbol]);
  module.freeTableIndexes.push(...freeTableIndexes);
}
