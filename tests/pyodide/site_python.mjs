// node site_python.mjs '{"runtime": folder, "script": file}': Pyodide from the site's own files, as web/worker starts it; prints the script's
// value. With "digest" in place of "script": what the snapshot says of its whole memory, and what restoring it gave.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { loadPyodide } from "pyodide";
import { workerScope } from "../web/worker_scope.js";
import { exitWith } from "./start.mjs";

await exitWith(async () => {
  const { runtime, script, digest } = JSON.parse(process.argv[2]);
  const names = ["filesOfTar", "unpackTar", "Snapshot", "placeOfArgumentCounter", "SURROUNDINGS"];
  const { filesOfTar, unpackTar, Snapshot, placeOfArgumentCounter, SURROUNDINGS } = workerScope(["damaged.js", "archive.js", "snapshot.js"], names);
  const [packages, bytes] = await Promise.all(["packages.tar", "python.snapshot"].map(async (name) => new Uint8Array(await readFile(`${runtime}/${name}`))));
  const snapshot = new Snapshot(bytes);
  const files = [...filesOfTar(packages)];
  await import("pyodide/pyodide.asm.js");
  let restored = "";
  globalThis._createPyodideModule = digesting(snapshot.continued(globalThis._createPyodideModule, files), placeOfArgumentCounter, (found) => (restored = found));
  const pyodide = await loadPyodide({
    stdLibURL: `${runtime}/python_stdlib.zip`,
    ...SURROUNDINGS,
    _loadSnapshot: new Uint8Array(1),
    fsInit: async (FS, { sitePackages }) => unpackTar(FS, sitePackages, files),
  });
  console.log(digest ? JSON.stringify([snapshot.head.sha256, restored]) : pyodide.runPython(await readFile(script, "utf8")));
  return 0;
});

function digesting(create, placeOfArgumentCounter, note) {
  return async (settings) => {
    const module = await create(settings);
    const restore = module.API.restoreSnapshot;
    module.API.restoreSnapshot = () => {
      const hiwire = restore();
      const memory = module.HEAPU8.slice();
      new Int32Array(memory.buffer)[placeOfArgumentCounter(module)] = 0;
      note(createHash("sha256").update(memory).digest("hex"));
      return hiwire;
    };
    return module;
  };
}
