/** A picture inside a zip: it has a name and a size, and is unpacked each time somebody opens it, so that thousands of them cost no memory. */

export class PackedFile {
  #entry;
  type = "";

  /** @param {any} entry what the zip's reader knows of it @param {string} name @param {string} zip the name of the zip */
  constructor(entry, name, zip) {
    this.#entry = entry;
    this.name = name;
    this.zip = zip;
    /** What the zip says; `open` holds it to that. */
    this.size = entry.uncompressedSize;
  }

  /** Its bytes, checked. Rejects with a `code` that the texts have words for, or with the signal's reason. @param {AbortSignal} [signal] @returns {Promise<File>} */
  async open(signal) {
    const parts = [];
    let room = this.size;
    const take = (chunk) => {
      room -= chunk.length;
      if (room < 0) throw new Error(`${this.name} is larger than its zip says`);
      parts.push(chunk);
    };
    try {
      await this.#entry.getData(new WritableStream({ write: take }), { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error.name === "NotReadableError" ? error : Object.assign(new Error(error.message), { code: codeOf(error) });
    }
    return new File(parts, this.name);
  }
}

/** The file itself, wherever it lies. @param {import("./state.js").AnyFile} file @param {AbortSignal} [signal] @returns {Promise<Blob>} */
export async function opened(file, signal) {
  return file instanceof Blob ? file : file.open(signal);
}

/** The name of the zip that a picture lies in. @returns {string | undefined} */
export function zipOf(file) {
  return file instanceof PackedFile ? file.zip : undefined;
}

/** What is wrong with a zip or with one of its files, from its reader's words. */
export function codeOf({ name, message }) {
  if (name === "NotReadableError") return "unreadable";
  if (/encrypt/i.test(message)) return "locked";
  if (/split zip/i.test(message)) return "archive";
  return /not supported/i.test(message) ? "packing" : "damaged";
}
