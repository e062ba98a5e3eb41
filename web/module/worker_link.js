import { PagetrainError } from "../shared/errors.js";

/**
 * Calls to one worker over plain messages, and the judgement that it is dead.
 *
 * Dead is: it said so ("dead": Python failed for good), an uncaught error, or silence. Silence is counted in ticks of a page timer while an
 * answer is due, not in clock time, so a laptop's sleep is no silence; every message of the worker ends it. The worker speaks after each
 * call into Python, the longest of which is one picture at our size limit, a few seconds here and perhaps 30 on a slow phone: hence 60 ticks
 * of one second.
 *
 * @typedef {{resolve: (value: any) => void, reject: (error: Error) => void, onProgress?: (progress: any) => void}} Call
 * @typedef {{postMessage: (message: any) => void, onmessage: any, onerror?: any, onmessageerror?: any}} Port   a Worker or a MessagePort
 */
const TICK_MS = 1000;
const PATIENCE_TICKS = 60;

export class WorkerLink {
  /** @type {Map<number, Call>} */
  #calls = new Map();
  #nextId = 1;
  #silence = 0;
  /** @type {any} */
  #timer = null;

  /**
   * @param {Port} port
   * @param {{onDeath?: (error: PagetrainError) => void, what?: string, tickMs?: number, patienceTicks?: number}} [options]
   *   what: who died, at the beginning of a sentence
   */
  constructor(port, { onDeath = () => {}, what = "The worker that runs Python", tickMs = TICK_MS, patienceTicks = PATIENCE_TICKS } = {}) {
    this.port = port;
    this.what = what;
    this.onDeath = onDeath;
    this.tickMs = tickMs;
    this.patienceTicks = patienceTicks;
    this.dead = /** @type {PagetrainError | null} */ (null);
    port.onmessage = ({ data }) => this.#receive(data);
    port.onerror = (event) => {
      event.preventDefault?.(); // it is answered here; the page's console stays clean
      if (event.message) this.#die(event.message);
      else this.#die("its script could not be started", "refused"); // an error in the script has a message
    };
    port.onmessageerror = () => this.#die("a message could not be read");
  }

  /**
   * The worker's answer to `{type, ...fields}`. An aborted signal sends `stop`; the call still ends with its own answer.
   *
   * @param {string} type @param {Record<string, any>} [fields]
   * @param {{onProgress?: (progress: any) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<any>}
   */
  call(type, fields = {}, { onProgress, signal } = {}) {
    if (this.dead) return Promise.reject(this.dead);
    const id = this.#nextId++;
    const stop = () => this.port.postMessage({ type: "stop", id });
    const answer = new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject, onProgress }));
    this.port.postMessage({ id, type, ...fields });
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    this.#watch();
    return answer.finally(() => signal?.removeEventListener("abort", stop));
  }

  /** Ends the worker; calls in flight reject with `error`. @param {PagetrainError} error */
  close(error) {
    if (this.dead) return;
    this.dead = error;
    clearInterval(this.#timer);
    const { port } = this;
    if ("terminate" in port && typeof port.terminate === "function") port.terminate();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    calls.forEach(({ reject }) => reject(error));
  }

  #receive(message) {
    this.#silence = 0;
    if (message.type === "dead") return this.#die(message.reason);
    const call = this.#calls.get(message.id);
    if (!call) return;
    if (message.type === "progress") return call.onProgress?.(message.progress);
    this.#calls.delete(message.id);
    if (message.type === "result") call.resolve(message.value);
    else call.reject(PagetrainError.from(message.error));
  }

  #die(reason, code = "") {
    if (this.dead) return;
    this.close(new PagetrainError("worker", `${this.what} stopped: ${reason}.`, { code, detail: { cause: reason } }));
    this.onDeath(/** @type {any} */ (this.dead));
  }

  #watch() {
    if (this.#timer !== null) return;
    this.#silence = 0;
    this.#timer = setInterval(() => this.#tick(), this.tickMs);
  }

  #tick() {
    if (this.#calls.size === 0) {
      clearInterval(this.#timer);
      this.#timer = null;
    } else if (++this.#silence >= this.patienceTicks) {
      this.#die(`no sign of life for ${Math.round((this.patienceTicks * this.tickMs) / 1000)} seconds`);
    }
  }
}
