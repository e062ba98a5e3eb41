/** A picture's file that lies in the browser's store: it has a name and a size, and is fetched each time somebody opens it. */

export class KeptFile {
  #fetch;
  /** @type {File | null} */
  #held = null;

  /** @param {{ name: string, size: number, type: string }} description @param {() => Promise<File | undefined>} fetch from the store */
  constructor({ name, size, type }, fetch) {
    this.name = name;
    this.size = size;
    this.type = type;
    this.#fetch = fetch;
  }

  /** Rejects with a `code` that the texts have words for. @returns {Promise<File>} */
  async open() {
    const file = this.#held ?? (await this.#fetch().catch(() => undefined));
    if (!file) throw Object.assign(new Error(`${this.name} is not in the browser's store any more`), { code: "unreadable" });
    return file;
  }

  /** It goes from the store, and may be wanted back: the browser keeps its bytes as long as somebody holds it. @param {File} file */
  hold(file) {
    this.#held = file;
  }
}
