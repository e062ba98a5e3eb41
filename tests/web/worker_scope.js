import { readFileSync } from "node:fs";
import vm from "node:vm";

const WEB = new URL("../../web/", import.meta.url);

/** The named top-level things of some worker scripts, which share one scope as they do in runtime/worker.js (or embedder.js). */
export function workerScope(files, names, folder = "worker") {
  const texts = files.map((file) => readFileSync(new URL(`${folder}/${file}`, WEB), "utf-8"));
  return vm.runInThisContext(`(() => { "use strict";\n${texts.join("\n")}\nreturn { ${names.join(", ")} }; })()`);
}
