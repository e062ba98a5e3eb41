// node site_python.mjs '{"runtime": folder, "script": file}': Pyodide from the site's own files, as web/worker starts it; prints the script's value.
import { readFile } from "node:fs/promises";
import { loadPyodide } from "pyodide";
import { workerScope } from "../web/worker_scope.js";
import { exitWith } from "./start.mjs";

await exitWith(async () => {
  const { runtime, script } = JSON.parse(process.argv[2]);
  const { unpackTar } = workerScope(["archive.js"], ["unpackTar"]);
  const archives = await Promise.all(["packages.tar", "pagetrain.tar"].map(async (name) => new Uint8Array(await readFile(`${runtime}/${name}`))));
  const pyodide = await loadPyodide({
    stdLibURL: `${runtime}/python_stdlib.zip`,
    fsInit: async (FS, { sitePackages }) => archives.forEach((archive) => unpackTar(FS, sitePackages, archive)),
  });
  console.log(pyodide.runPython(await readFile(script, "utf8")));
  return 0;
});
