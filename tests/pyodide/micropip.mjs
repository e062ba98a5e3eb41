// node micropip.mjs '{"wheels": [...], "urls": [...], "script": python}': what another page does that has only micropip and the wheels' URLs.
import { exitWith, start } from "./start.mjs";

const { wheels, urls, script } = JSON.parse(process.argv[2]);

await exitWith(async () => {
  const pyodide = await start(wheels);
  const micropip = pyodide.pyimport("micropip");
  await micropip.install(urls);
  console.log(await pyodide.runPythonAsync(script));
  return 0;
});
