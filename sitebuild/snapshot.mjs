// Reads {task, ...} as JSON from standard input: "rehearse" prints what the page's Python imports until it holds the model; "take" writes
// Python's state after these imports.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { loadPyodide } from "pyodide";

const RUN_GAP = 64; // equal bytes between two different ones that are not worth a run of their own

/** Names of the worker's plain scripts. */
async function workerScripts(names, exported) {
  const texts = await Promise.all(names.map((name) => readFile(new URL(`../web/worker/${name}`, import.meta.url), "utf8")));
  return new Function(`${texts.join("\n")}\nreturn { ${exported.join(", ")} };`)();
}

const { filesOfTar, unpackTar, compiledLibraries, placeLibraries, placeOfArgumentCounter, SURROUNDINGS, FIRST_FILES } = await workerScripts(
  ["damaged.js", "archive.js", "snapshot.js", "handlers.js"],
  ["filesOfTar", "unpackTar", "compiledLibraries", "placeLibraries", "placeOfArgumentCounter", "SURROUNDINGS", "FIRST_FILES"],
);

/** As web/worker/python.js does it. */
async function boot({ library, archives }, options = {}) {
  const files = await filesOf(archives);
  return loadPyodide({
    stdLibURL: library,
    fsInit: async (FS, { sitePackages }) => unpackTar(FS, sitePackages, files),
    ...SURROUNDINGS,
    ...options,
  });
}

async function filesOf(archives) {
  const contents = await Promise.all(archives.map((path) => readFile(path)));
  return contents.flatMap((archive) => [...filesOfTar(new Uint8Array(archive))]);
}

/** The modules that opening the model imports, in the order of their first import, and the files they came from. */
async function rehearse({ artifacts, ...files }) {
  const pyodide = await boot(files);
  const session = pyodide.pyimport("pagetrain.bridge").Session();
  const call = (name, given = {}) => {
    const { error } = session.call(name, pyodide.toPy(given)).toJs({ dict_converter: Object.fromEntries });
    if (error) throw new Error(error.traceback ?? error.message);
  };
  const manifest = await readFile(`${artifacts}/manifest.json`, "utf8");
  const content = async (name) => new Uint8Array(await readFile(`${artifacts}/${JSON.parse(manifest).files[name].path}`));
  const first = Object.fromEntries(await Promise.all(FIRST_FILES.map(async (name) => [name, await content(name)])));
  call("open", { manifest, backend: "", files: first });
  call("feedParameters", { chunk: await content("parameters") });
  call("prepare");
  const origins = pyodide.runPython(`
    import sys
    {name: module.__spec__.origin for name, module in sys.modules.items() if getattr(module, "__spec__", None)}`);
  return [...origins.toJs()].filter(([, origin]) => origin?.startsWith("/lib/")).map(([name, origin]) => ({ name, origin }));
}

/** Imports the modules, puts the rest of the library in its place, and writes what then is. */
async function take({ modules, rest, output, ...files }) {
  const pyodide = await boot(files, { _makeSnapshot: true });
  const module = pyodide._module;
  if (!module._PyEM_CountArgsPtr) module.wasmTable.grow(1); // where an interpreter with an argument counter has it
  const before = { table: module.wasmTable.length, globals: globalsOf(module) };
  for (const name of modules) pyodide.pyimport(name).destroy();
  pyodide.FS.writeFile("/lib/python312.zip", await readFile(rest));
  pyodide.runPython("import gc, importlib, sys; importlib.invalidate_caches(); sys.path.remove(''); gc.collect()"); // '' is put there at every start
  librariesOf(module).forEach(({ handle }) => dropFile(module, handle));
  module.HEAP32[placeOfArgumentCounter(module)] = 0;
  const memory = module.HEAPU8.slice();
  const head = {
    memoryBytes: memory.length,
    tableLength: module.wasmTable.length,
    freeTableIndexes: module.freeTableIndexes,
    libraries: librariesOf(module),
    globals: Object.fromEntries(Object.entries(globalsOf(module)).filter(([symbol, value]) => before.globals[symbol] !== value)),
    hiwire: pyodide._api.serializeHiwireState(),
  };
  head.functions = functionsOf(module, before.table, head);
  const runs = runsOf(memory, await memoryBefore(head, files));
  await writeFile(output, fileOf({ ...head, runs: runs.length, sha256: createHash("sha256").update(memory).digest("hex") }, runs, memory));
}

function globalsOf(module) {
  return Object.fromEntries(Object.entries(module.GOT).map(([symbol, global]) => [symbol, global.value]));
}

function librariesOf(module) {
  const { loadedLibsByHandle } = module.LDSO;
  const handles = Object.keys(loadedLibsByHandle).map(Number).filter(Boolean); // 0: the interpreter itself
  const found = handles.map((handle) => ({
    handle,
    name: loadedLibsByHandle[handle].name,
    words: [...module.HEAPU32.subarray((handle + 8) >> 2, (handle + 28) >> 2)],
    nodelete: loadedLibsByHandle[handle].refcount === Infinity,
  }));
  return found.sort((one, other) => one.words[3] - other.words[3]);
}

/** dlopen keeps a copy of the library's file, which nobody reads again. Source: struct dso of Emscripten's dynlink.h. */
function dropFile(module, handle) {
  const [address, size] = module.HEAPU32.subarray((handle + 28) >> 2, (handle + 36) >> 2);
  module.HEAPU8.fill(0, address, address + size);
  module.LDSO.loadedLibsByName.__main__.exports.free(address);
  module.HEAPU32.fill(0, (handle + 28) >> 2, (handle + 36) >> 2);
}

/** The table's entries since the start that lie outside of the libraries' own places: exports to which somebody took a pointer. */
function functionsOf(module, tableBefore, { tableLength, libraries, freeTableIndexes }) {
  const owners = new Map(libraries.flatMap(({ name }) => Object.entries(module.LDSO.loadedLibsByName[name].exports).map(([symbol, value]) => [value, [name, symbol]])));
  const functions = [];
  for (let index = tableBefore; index < tableLength; index += 1) {
    const own = libraries.some(({ words: [, , , begin, size] }) => index >= begin && index < begin + size);
    if (own || freeTableIndexes.includes(index)) continue;
    const owner = owners.get(module.wasmTable.get(index));
    if (!owner) throw new Error(`Entry ${index} of the table is no export of a library: a snapshot cannot hold it`);
    functions.push([index, ...owner]);
  }
  return functions;
}

/** What the page has before it fills in the snapshot. */
async function memoryBefore(head, files) {
  const create = globalThis._createPyodideModule;
  let memory;
  globalThis._createPyodideModule = async (settings) => {
    const module = await create({ ...settings, INITIAL_MEMORY: head.memoryBytes });
    placeLibraries(module, head, await compiledLibraries(head, await filesOf(files.archives)));
    memory = module.HEAPU8.slice();
    throw new Error("no more is wanted");
  };
  try {
    await boot(files, { _loadSnapshot: new Uint8Array(1) });
  } catch (error) {
    if (!memory) throw error;
  } finally {
    globalThis._createPyodideModule = create;
  }
  return memory;
}

/** [address, length] where the memories differ. */
function runsOf(memory, before) {
  const runs = [];
  for (let at = 0, begin = -1, last = -1; at <= memory.length; at += 1) {
    const differs = at < memory.length && memory[at] !== before[at];
    if (begin >= 0 && (at === memory.length || (differs && at - last > RUN_GAP))) {
      runs.push([begin, last + 1 - begin]);
      begin = -1;
    }
    if (!differs) continue;
    if (begin < 0) begin = at;
    last = at;
  }
  return runs;
}

function fileOf(head, runs, memory) {
  const plain = JSON.stringify(head);
  const headText = Buffer.from(plain.padEnd(Math.ceil(plain.length / 4) * 4));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headText.length);
  return Buffer.concat([length, headText, Buffer.from(new Uint32Array(runs.flat()).buffer), ...runs.map(([begin, size]) => memory.subarray(begin, begin + size))]);
}

try {
  const { task, ...given } = JSON.parse(await text(process.stdin));
  const result = await { rehearse, take }[task](given);
  if (result) console.log(JSON.stringify(result));
} catch (error) {
  console.error(String(error?.stack ?? error).slice(-4000)); // an error of Pyodide carries a megabyte of source with it
  process.exit(1);
}
process.exit(0);
