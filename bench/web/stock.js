import { now } from "./common.js";

/** Pyodide as its makers pack it, with numpy, in a worker: from the first byte to numpy imported. */
export async function visit() {
  const folder = new URL("/bench/stock/", location.href).href;
  const source = `importScripts("${folder}pyodide.js");
    loadPyodide({ indexURL: "${folder}", packages: ["numpy"] })
      .then((pyodide) => { pyodide.runPython("import numpy"); postMessage("ready"); }, (error) => postMessage(String(error)));`;
  const started = now();
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const answer = await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
  const readyMs = now() - started;
  worker.terminate();
  if (answer !== "ready") throw new Error(answer);
  return { readyMs };
}
