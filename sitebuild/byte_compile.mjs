// Reads [{archives, format, root, left_out, kept, emptied, output}] as JSON from standard input and writes each output with byte_compile.py, in Pyodide.
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { loadPyodide } from "pyodide";

/** What one Pyodide compiled before can show in the next one's bytes (marshal notes which values are shared), so every output has its own. */
async function compile({ archives, output, ...job }) {
  const pyodide = await loadPyodide({ env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1", HOME: "/" } }); // columns are of no use without sources
  const paths = archives.map((_, index) => `/${index}.zip`);
  for (const [index, archive] of archives.entries()) pyodide.FS.writeFile(paths[index], await readFile(archive));
  const compileArchives = pyodide.runPython(await readFile(new URL("byte_compile.py", import.meta.url), "utf8"));
  const made = compileArchives(pyodide.toPy({ ...job, archives: paths }));
  await writeFile(output, made.toJs());
}

try {
  for (const job of JSON.parse(await text(process.stdin))) await compile(job);
} catch (error) {
  console.error(String(error?.message ?? error).slice(-4000)); // an error of Pyodide carries a megabyte of source with it
  process.exit(1);
}
