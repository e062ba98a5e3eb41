/**
 * What embedding workers are made of, and what the page has to know of it before Python says the same.
 *
 * @typedef {{text: Blob, library: WebAssembly.Module, backend: "relaxed-simd" | "simd", program: any, parameters: Blob,
 *   size: {width: number, height: number}, featureBytes: number}} Embedding
 */
const FORMAT = { format: "pagetrain-embedding", version: 1 };
const VARIANTS = /** @type {const} */ (["relaxed-simd", "simd"]); // files of runtime/; the faster first, which not every browser takes

/**
 * null where there is no such program for the model, or none of the kernels' builds can be compiled: Python does it all then.
 * A line on the console says so where it is not by design.
 *
 * @param {Record<string, any>} runtime contents by name @param {Record<string, Blob>} artifacts
 * @returns {Promise<Embedding | null>}
 */
export async function embeddingOf(runtime, artifacts) {
  if (!artifacts.embedding) return null;
  try {
    return { text: runtime.embedder, ...(await compiled(runtime)), ...(await programIn(artifacts.embedding)), parameters: artifacts.parameters };
  } catch (error) {
    console.warn(`pagetrain: no embedding workers (${error.message}); Python does their work.`);
    return null;
  }
}

/**
 * The program in a file, the size of what it sees and of what it makes. Throws where it is none that is known here.
 *
 * @param {Blob} file
 */
export async function programIn(file) {
  const program = JSON.parse(await file.text());
  if (program.format !== FORMAT.format || program.version !== FORMAT.version) throw new Error(`its format is ${program.format} ${program.version}`);
  const { width, height, outputs } = program;
  const floats = outputs.reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0);
  return { program, size: { width, height }, featureBytes: 4 * floats };
}

/** @param {Record<string, Blob>} runtime */
async function compiled(runtime) {
  const reasons = [];
  for (const backend of VARIANTS) {
    try {
      return { backend, library: await WebAssembly.compile(await runtime[backend].arrayBuffer()) };
    } catch (error) {
      reasons.push(`${backend}: ${error.message}`);
    }
  }
  throw new Error(reasons.join("; "));
}

/** How many workers are worth it on this machine: two where there are two cores, and memory for a copy of the weights in each. */
export function workerCount() {
  return navigator.hardwareConcurrency >= 2 ? 2 : 1;
}
