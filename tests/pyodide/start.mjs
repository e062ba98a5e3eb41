// Pyodide under node, with wheels unpacked into it instead of installed: no package index, no network.
import { readFile } from "node:fs/promises";
import { loadPyodide } from "pyodide";

const SITE_PACKAGES = "/lib/python3.12/site-packages";

/** A started Pyodide that can import what the wheels hold. @param {string[]} wheels paths @param {object} options more for loadPyodide */
export async function start(wheels, options = {}) {
  const pyodide = await loadPyodide(options);
  for (const wheel of wheels) {
    pyodide.unpackArchive(new Uint8Array(await readFile(wheel)), "wheel", { extractDir: SITE_PACKAGES });
  }
  return pyodide;
}

/** Runs work and ends the process with its status; an error of Pyodide carries a megabyte of source with it, so only its message is printed. */
export async function exitWith(work) {
  try {
    process.exit(await work());
  } catch (error) {
    console.error(String(error?.message ?? error).slice(-4000));
    process.exit(70);
  }
}
