// Python in this worker. All PyProxies live and die here; everybody else sees plain values.

/** A failure after which this Python cannot be used: the worker has to be replaced. */
class DeadPython extends Error {}

class Python {
  #pyodide;
  #session;
  #death = "";

  /**
   * Goes on from the snapshot; the page fetched and checked every file. The packages are put where Python finds them: nothing is installed.
   * Throws `damaged`.
   *
   * @param {Blob} snapshot @param {Blob} packages an archive
   */
  static async start(snapshot, packages) {
    const [memory, archive] = await Promise.all([snapshot, packages].map(bytesIn));
    const files = [...filesOfTar(archive)]; // here, where a damaged one ends the start: Pyodide would lose the error
    _createPyodideModule = new Snapshot(memory).continued(_createPyodideModule, files);
    const pyodide = await loadPyodide({
      indexURL: RUNTIME_URL,
      ...SURROUNDINGS,
      _loadSnapshot: new Uint8Array(1), // says only that there is one
      fsInit: async (FS, { sitePackages }) => unpackTar(FS, sitePackages, files),
      stdin: () => null,
      stdout: (line) => console.debug(line),
      stderr: (line) => console.debug(line),
    });
    return new Python(pyodide);
  }

  constructor(pyodide) {
    this.#pyodide = pyodide;
    pyodide._api.on_fatal = (error) => {
      this.#death = String(error);
    };
    const bridge = pyodide.pyimport("pagetrain.bridge");
    this.#session = bridge.Session();
    bridge.destroy();
  }

  /**
   * Session.call(name, given) of bridge.py: plain values and typed arrays in and out (copied, bytes come back as Uint8Array).
   * Throws what Python raised as an Error with `fields`, and DeadPython when Python itself broke.
   */
  call(name, given = {}) {
    const { ok, error } = this.#cross(name, given);
    if (error) throw Object.assign(new Error(error.message), { fields: error });
    return ok;
  }

  #cross(name, given) {
    let handed, answer;
    try {
      handed = this.#pyodide.toPy(given);
      answer = this.#session.call(name, handed);
      return answer.toJs({ dict_converter: Object.fromEntries, create_pyproxies: false });
    } catch (error) { // Session.call never raises: this is no Python error
      throw new DeadPython(this.#death || String(error));
    } finally {
      if (!this.#death) {
        handed?.destroy();
        answer?.destroy();
      }
    }
  }
}

async function bytesIn(blob) {
  return new Uint8Array(await blob.arrayBuffer());
}
