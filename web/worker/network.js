// The worker's whole network: the files that the page handed over, by their path. Nothing else is answered, so nothing else is asked for.

const RUNTIME_URL = "https://runtime.invalid/"; // .invalid: a name that can never exist

/**
 * What this returns rejects when Pyodide's own WebAssembly cannot be started, which Pyodide would only write to the console; it never
 * settles otherwise.
 *
 * @param {import("../shared/protocol.js").RuntimeFile[]} files
 * @param {any} scope the worker's global object @returns {Promise<never>}
 */
function closeNetwork(files, scope) {
  const contents = new Map(files.map(({ path, content }) => [RUNTIME_URL + path, content]));
  contents.set(`${RUNTIME_URL}pyodide-lock.json`, new Blob([JSON.stringify(PYODIDE_LOCK)])); // loadPyodide asks for it at every start
  scope.fetch = async (resource) => {
    const content = contents.get(String(resource.url ?? resource));
    if (content === undefined) throw new TypeError(`${resource} is not among the files of this worker`);
    return content instanceof WebAssembly.Module ? content : new Response(content);
  };
  // Pyodide hands what fetch gave for its .wasm to this: the page compiled it already.
  return new Promise((_, reject) => {
    scope.WebAssembly.instantiateStreaming = async (source, imports) => {
      try {
        const module = await source;
        return { module, instance: await WebAssembly.instantiate(module, imports) };
      } catch (error) {
        reject(error);
        throw error;
      }
    };
  });
}
