import { PagetrainError } from "../shared/errors.js";
import { startWorker } from "./worker_start.js";

/**
 * One worker at a time: if it dies, the next is started at once from the same parts and given the work back.
 *
 * @typedef {import("./worker_link.js").WorkerLink} WorkerLink
 * @typedef {"starting" | "ready" | "restarting" | "failed" | "disposed"} State   failed: no worker; the next call starts one
 * @typedef {{onState: (state: State) => void, onRestart: (detail: {reason: string, pictures: number}) => void}} Listeners
 */
export class LivingWorker {
  #parts;
  #backend;
  #records;
  #listeners;
  /** @type {Promise<WorkerLink> | null} */
  #link = null;
  /** @type {WorkerLink | null} */
  #current = null;
  #end = new AbortController();
  /** Of the worker that the next start replaces. */
  #deathCause = "";
  /** @type {State} */
  state = "starting";
  /** @type {import("../shared/protocol.js").Opened | null} */
  opened = null;

  /**
   * @param {import("./parts.js").Parts} parts @param {import("../shared/protocol.js").Backend} backend
   * @param {import("./records.js").Records} records the work @param {Listeners} listeners
   */
  constructor(parts, backend, records, listeners) {
    this.#parts = parts;
    this.#backend = backend;
    this.#records = records;
    this.#listeners = listeners;
  }

  /** As WorkerLink.call, on the living worker. */
  async call(type, fields = {}, options = {}) {
    const link = await this.connect();
    return link.call(type, fields, options);
  }

  /**
   * The living worker's link; starts a worker if there is none.
   *
   * @param {(progress: import("../shared/protocol.js").StartProgress) => void} [onProgress] @returns {Promise<WorkerLink>}
   */
  connect(onProgress) {
    if (this.state === "disposed") return Promise.reject(disposedError());
    this.#link ??= this.#start(onProgress).catch((error) => {
      this.#link = null;
      this.#setState("failed");
      throw error;
    });
    return this.#link;
  }

  /**
   * The same Python with other artifacts, and what the records hold by then given to it: the work on the artifacts before is gone from it.
   * If it cannot open them, it still has those before.
   *
   * @param {import("./parts.js").Parts} parts
   */
  async reopen(parts) {
    const link = await this.connect();
    const before = this.#parts;
    this.#parts = parts;
    try {
      this.opened = await link.call("open", { manifest: parts.manifest, artifacts: parts.artifacts, backend: this.#backend });
      await this.#giveBack(link);
    } catch (error) {
      if (error.kind !== "worker") {
        this.#parts = before;
        throw error;
      }
      await this.connect(); // the next one is started with these parts
    }
  }

  /** The end of it, also of a start under way; calls in flight reject. */
  dispose() {
    this.#setState("disposed");
    this.#end.abort(disposedError());
    this.#current = this.#link = null;
    this.#parts = /** @type {any} */ (null);
  }

  async #start(onProgress) {
    const { signal } = this.#end;
    const { link, opened } = await startWorker(this.#parts, this.#backend, { onProgress, onDeath: (error) => this.#restart(error), signal });
    await this.#giveBack(link).catch((error) => {
      link.close(error);
      throw error;
    });
    signal.throwIfAborted();
    this.#current = link;
    this.opened = opened;
    this.#setState("ready");
    this.#tellRestart();
    return link;
  }

  /** All of the work, and then what came while that was given, until nothing did. */
  async #giveBack(link) {
    const given = new Set();
    for (let edition = -1; this.#records.labels.length > 0 && edition !== this.#records.edition;) {
      const { labels, head, noneBelow } = this.#records;
      const [pictures, rows] = [this.#records.pictures, this.#records.rows].map((all) => all.filter((one) => !given.has(one)));
      edition = this.#records.edition;
      await link.call("restore", { labels, pictures, rows, head, noneBelow });
      for (const one of [...pictures, ...rows]) given.add(one);
    }
  }

  /** Only for the worker in use: a death during the start rejects the start. */
  #restart(error) {
    if (this.#current?.dead !== error) return;
    this.#current = this.#link = null;
    this.#deathCause = error.detail.cause;
    this.#setState("restarting");
    this.connect().catch(() => {}); // said by the state "failed"; the next call tries again and gets the error
  }

  #tellRestart() {
    if (!this.#deathCause) return;
    const detail = { reason: this.#deathCause, pictures: this.#records.pictures.length };
    this.#deathCause = "";
    this.#listeners.onRestart(detail);
  }

  /** @param {State} state */
  #setState(state) {
    if (this.state === "disposed" || this.state === state) return;
    this.state = state;
    this.#listeners.onState(state);
  }
}

function disposedError() {
  return new PagetrainError("StateError", "This Pagetrain was disposed: load a new one.");
}
