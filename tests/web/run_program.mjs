// node run_program.mjs PROGRAM PARAMETERS PIXELS: the features that an embedding worker makes of a picture, as JSON; plain SIMD, which every node has.
import { readFileSync } from "node:fs";
import { workerScope } from "./worker_scope.js";

const { Program } = workerScope(["side_module.js", "program.js"], ["Program"], "embedder");
const [program, parameters, pixels] = process.argv.slice(2).map((path) => readFileSync(path));
const library = new WebAssembly.Module(readFileSync(new URL("../../pyodide_pkg/pagetrain_accelerator/simd.wasm", import.meta.url)));
const ready = await Program.create(library, JSON.parse(program.toString()), new Blob([parameters]));
ready.run(new Uint8Array(pixels.length)); // another picture before
console.log(JSON.stringify([...ready.run(new Uint8Array(pixels))]));
