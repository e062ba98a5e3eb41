import { readFileSync } from "node:fs";
import vm from "node:vm";

const FOLDER = new URL("../../web/worker/", import.meta.url);

/** The named top-level things of some worker scripts, which share one scope as they do in runtime/worker.js. */
export function workerScope(files, names) {
  const texts = files.map((file) => readFileSync(new URL(file, FOLDER), "utf-8"));
  return vm.runInThisContext(`(() => { "use strict";\n${texts.join("\n")}\nreturn { ${names.join(", ")} }; })()`);
}
