// node run_suite.mjs '{"wheels": [...], "tests": folder, "docs": folder, "settings": file, "arguments": [...], "report": file}': pytest inside Pyodide.
import { readFile, writeFile } from "node:fs/promises";
import { exitWith, start } from "./start.mjs";

const { wheels, tests, docs, settings, arguments: pytestArguments, report } = JSON.parse(process.argv[2]);

await exitWith(async () => {
  const pyodide = await start(wheels, { env: { PYTHONDONTWRITEBYTECODE: "1", HOME: "/home/pyodide" } });
  for (const [name, root] of Object.entries({ tests, docs })) {
    pyodide.FS.mkdirTree(`/repository/${name}`);
    pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, `/repository/${name}`);
  }
  pyodide.FS.writeFile("/repository/pyproject.toml", await readFile(settings));
  pyodide.FS.chdir("/repository");
  const suite = pyodide.runPython(await readFile(new URL("suite.py", import.meta.url), "utf8"));
  const [status, outcomes] = suite(pyodide.toPy(pytestArguments)).toJs();
  await writeFile(report, JSON.stringify(Object.fromEntries(outcomes)));
  return status;
});
