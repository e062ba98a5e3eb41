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

const SNAPSHOT = "python.snapshot";
const WASM_PAGE = 65536; // bytes
const SITE_PACKAGES = "/site-packages/"; // where the archive's files lie

class Snapshot {
  /** @type {[number, Uint8Array][]} address and bytes */
  #runs;
  /** @type {Head} */
  head;

  /** Throws `damaged`. @param {Uint8Array} bytes a snapshot file */
  constructor(bytes) {
    const runsBegin = 4 + (bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true));
    if (runsBegin > bytes.length) throw damaged(SNAPSHOT, "it ends within its head");
    this.head = checkedHead(bytes.subarray(4, runsBegin));
    this.#runs = runsOf(this.head, bytes.subarray(runsBegin));
  }

  /**
   * Pyodide's `create` for an interpreter that goes on from here; loadPyodide calls API.restoreSnapshot if its option _loadSnapshot is given.
   *
   * @param {(settings: any) => Promise<any>} create @param {[string, Uint8Array][]} files of filesOfTar, the libraries among them
   */
  continued(create, files) {
    return async (settings) => {
      settings.INITIAL_MEMORY = this.head.memoryBytes;
      const [module, compiled] = await Promise.all([create(settings), compiledLibraries(this.head, files)]);
      module.API.restoreSnapshot = () => {
        placeLibraries(module, this.head, compiled);
        for (const [address, run] of this.#runs) module.HEAPU8.set(run, address);
        module.HEAP32[placeOfArgumentCounter(module)] = module._PyEM_CountArgsPtr;
        return this.head.hiwire;
      };
      return module;
    };
  }
}

/** @param {Uint8Array} bytes JSON @returns {Head} */
function checkedHead(bytes) {
  let head;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw damaged(SNAPSHOT, "its head is not JSON");
  }
  const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
  const isObject = (value) => typeof value === "object" && value !== null;
  const keys = {
    memoryBytes: (value) => isCount(value) && value % WASM_PAGE === 0, tableLength: isCount, runs: isCount, freeTableIndexes: Array.isArray,
    libraries: Array.isArray, functions: Array.isArray, globals: isObject, hiwire: isObject,
  };
  const wrong = Object.keys(keys).filter((key) => !keys[key](head?.[key]));
  if (wrong.length > 0) throw damaged(SNAPSHOT, `its head has no usable ${wrong.join(", ")}`);
  return head;
}

/** Address and bytes of each run. @param {Head} head @param {Uint8Array} bytes of the file behind its head @returns {[number, Uint8Array][]} */
function runsOf({ runs, memoryBytes }, bytes) {
  let at = 8 * runs;
  if (at > bytes.length) throw damaged(SNAPSHOT, "it ends within the list of its runs");
  const places = new Uint32Array(bytes.slice(0, at).buffer);
  const found = Array.from({ length: runs }, (_, run) => {
    const [address, length] = places.subarray(2 * run, 2 * run + 2);
    if (address + length > memoryBytes) throw damaged(SNAPSHOT, `its run ${run} lies outside of the memory`);
    at += length;
    return /** @type {[number, Uint8Array]} */ ([address, bytes.subarray(at - length, at)]);
  });
  if (at !== bytes.length) throw damaged(SNAPSHOT, `its runs have ${at - 8 * runs} bytes, and ${bytes.length - 8 * runs} are there`);
  return found;
}

/** Index in HEAP32 of the pointer to what counts a function's arguments, which an interpreter has where the browser knows WasmGC, and 0 elsewhere. */
function placeOfArgumentCounter(module) {
  return (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_COUNT_ARGS_OFFSET >> 2]) >> 2;
}

/**
 * The libraries in the order of the head, by other threads: the loader would compile them one after another in this one. Rejects with `damaged`.
 *
 * @param {Pick<Head, "libraries">} head @param {Iterable<[string, Uint8Array]>} files of filesOfTar
 * @returns {Promise<WebAssembly.Module[]>}
 */
async function compiledLibraries({ libraries }, files) {
  const contents = new Map(files);
  return Promise.all(libraries.map(({ name }) => {
    const library = contents.get(name.slice(name.indexOf(SITE_PACKAGES) + SITE_PACKAGES.length));
    if (!library) throw damaged("packages.tar", `it has no ${name}`);
    return WebAssembly.compile(/** @type {Uint8Array<ArrayBuffer>} */ (library));
  }));
}

/**
 * Loads the libraries to the places they had. Their memory is then as new; the snapshot overwrites it. A symbol that has its value already
 * is left alone by the loader, so function pointers in the snapshot stay right; and the loader need not look through all symbols for those
 * without a value, which takes it longer than all the rest: those have none in the snapshot either.
 *
 * @param {any} module a new interpreter @param {Omit<Head, "runs" | "sha256">} head @param {WebAssembly.Module[]} compiled its libraries
 */
function placeLibraries(module, { tableLength, freeTableIndexes, libraries, globals, functions }, compiled) {
  for (const [symbol, value] of Object.entries(globals)) {
    module.GOT[symbol] ??= new WebAssembly.Global({ value: "i32", mutable: true });
    module.GOT[symbol].value = value;
  }
  module.wasmTable.grow(tableLength - module.wasmTable.length);
  for (const [index, { handle, name, words, nodelete }] of libraries.entries()) {
    const flags = { global: false, nodelete, loadAsync: false, allowUndefined: true };
    module.HEAPU32.set(words, (handle + 8) >> 2);
    module.preloadedWasm[name] = module.loadWebAssemblyModule(compiled[index], flags, name, {}, handle);
    module.loadDynamicLibrary(name, flags, {}, handle);
  }
  for (const [index, library, symbol] of functions) module.setWasmTableEntry(index, module.LDSO.loadedLibsByName[library].exports[symbol]);
  module.freeTableIndexes.push(...freeTableIndexes);
}
