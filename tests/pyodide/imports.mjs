// node imports.mjs '[{"archives": [...], "left_out": [...], "kept": [...], "emptied": [...]}, ...]': what imports.py finds, as JSON on the last line.
import { readFile } from "node:fs/promises";
import { exitWith, start } from "./start.mjs";

await exitWith(async () => {
  const pyodide = await start([]);
  const sources = JSON.parse(process.argv[2]);
  for (const [index, source] of sources.entries()) {
    for (const [number, archive] of source.archives.entries()) {
      pyodide.FS.writeFile((source.archives[number] = `/${index}-${number}.zip`), await readFile(archive));
    }
  }
  const imports = pyodide.runPython(await readFile(new URL("imports.py", import.meta.url), "utf8"));
  console.log(JSON.stringify(imports(pyodide.toPy(sources)).toJs({ dict_converter: Object.fromEntries })));
  return 0;
});
