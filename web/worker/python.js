// Python in this worker. All PyProxies live and die here; everybody else sees plain values.

/** A failure after which this Python cannot be used: the worker has to be replaced. */
class DeadPython extends Error {}

class Python {
  #pyodide;
  #session;
  #death = "";

  /**
   * Boots from the closed network; the page fetched and checked every file. The packages are put where Python finds them before it starts:
   * nothing is installed.
   *
   * @param {Blob[]} archives of packages
   */
  static async start(archives) {
    const contents = Promise.all(archives.map(async (archive) => new Uint8Array(await archive.arrayBuffer())));
    const pyodide = await loadPyodide({
      indexURL: RUNTIME_URL,
      fsInit: async (FS, { sitePackages }) => (await contents).forEach((archive) => unpackTar(FS, sitePackages, archive)),
      env: { HOME: "/" },
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
