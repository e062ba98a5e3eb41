import { PagetrainError } from "../shared/errors.js";
import { newWorkerLink } from "./worker_start.js";

/**
 * Workers that hold nothing but the frozen part of the model: what the model sees of a picture in, its features out. The same bits whichever
 * of them does it. One that fails is replaced once it has shown that it can do the work; a picture that two of them fail at is given back.
 *
 * @typedef {import("./parts.js").Embedding} Embedding
 * @typedef {{link: import("./worker_link.js").WorkerLink, waiting: number, answered: number}} Embedder
 */
const ATTEMPTS = 2; // at one picture

export class Embedders {
  /** @type {Embedding} */
  #embedding;
  /** @type {Embedder[]} */
  #all = [];

  /**
   * As many as `count` that are ready, or null: one line on the console says why. Never rejects.
   *
   * @param {Embedding} embedding @param {number} count @returns {Promise<Embedders | null>}
   */
  static async start(embedding, count) {
    const made = new Embedders(embedding);
    const starts = await Promise.allSettled(Array.from({ length: count }, () => made.#startOne()));
    const failure = starts.find(({ status }) => status === "rejected");
    if (failure) tell("could not be started", /** @type {PromiseRejectedResult} */ (failure).reason);
    return made.count > 0 ? made : null;
  }

  /** Use Embedders.start. @param {Embedding} embedding */
  constructor(embedding) {
    this.#embedding = embedding;
  }

  get count() {
    return this.#all.length;
  }

  /** Which build of the kernels they run. */
  get backend() {
    return this.#embedding.backend;
  }

  /** What the model sees. */
  get size() {
    return this.#embedding.size;
  }

  /**
   * The features of what the model sees. Rejects with kind "worker" when nobody here can tell them.
   *
   * @param {Uint8Array} pixels RGB @returns {Promise<Float32Array>}
   */
  async embed(pixels) {
    for (let attempt = 0; attempt < ATTEMPTS && this.count > 0; attempt += 1) {
      const one = this.#all.reduce((best, other) => (other.waiting < best.waiting ? other : best));
      one.waiting += 1;
      try {
        const features = await one.link.call("embed", { pixels });
        one.answered += 1;
        return features;
      } catch (error) {
        await this.#replace(one, error);
      } finally {
        one.waiting -= 1;
      }
    }
    throw new PagetrainError("worker", "No embedding worker could do this picture.");
  }

  /** The end of them; calls in flight reject. */
  close() {
    for (const { link } of this.#all.splice(0)) link.close(new PagetrainError("StateError", "The embedding workers were closed."));
  }

  async #startOne() {
    const { text, library, program, parameters } = this.#embedding;
    const link = newWorkerLink(text, "pagetrain embedder", { what: "An embedding worker" });
    try {
      await link.call("start", { library, program, parameters });
    } catch (error) {
      link.close(error);
      throw error;
    }
    this.#all.push({ link, waiting: 0, answered: 0 });
  }

  /** Several pictures may have failed with it: the first of them replaces it. @param {Embedder} one */
  async #replace(one, error) {
    const place = this.#all.indexOf(one);
    if (place < 0) return;
    this.#all.splice(place, 1);
    one.link.close(error);
    try {
      if (one.answered === 0) throw error;
      await this.#startOne();
    } catch (cause) {
      tell("stopped", cause);
    }
  }
}

function tell(what, error) {
  console.warn(`pagetrain: an embedding worker ${what} (${error.message}); the others or Python do its work.`);
}
