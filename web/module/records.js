/**
 * What the page keeps of the work, as it came, so that a new worker can go on where a dead one stopped: the classes, each picture's
 * features, and the learnt head as a checkpoint. No picture is kept.
 *
 * @typedef {import("../shared/protocol.js").CachedPicture} CachedPicture
 */
export class Records {
  /** @type {string[]} */
  labels = [];
  /** @type {Uint8Array | null} */
  head = null;
  /** @type {Map<string, CachedPicture>} */
  #pictures = new Map();
  /** Another number after each change. */
  edition = 0;

  /** Classes that are gone take their pictures with them. @param {{labels: string[], head: Uint8Array | null}} classes */
  setClasses({ labels, head }) {
    this.edition += 1;
    this.labels = labels;
    this.head = head;
    for (const [place, { label }] of this.#pictures) if (!labels.includes(label)) this.#pictures.delete(place);
  }

  /** @param {string} from @param {string} to @param {import("../shared/protocol.js").Classes} classes */
  renameClass(from, to, classes) {
    const renamed = this.pictures.map((picture) => (picture.label === from ? { ...picture, label: to } : picture));
    this.#pictures = new Map(renamed.map((picture) => [placeOf(picture), picture]));
    this.setClasses(classes);
  }

  /** @param {CachedPicture} picture */
  add(picture) {
    this.edition += 1;
    this.#pictures.set(placeOf(picture), picture);
  }

  /** @param {{key: string, label: string}} picture */
  remove(picture) {
    this.edition += 1;
    this.#pictures.delete(placeOf(picture));
  }

  /** @param {{key: string, from: string, to: string}} move */
  move({ key, from, to }) {
    const picture = this.#pictures.get(placeOf({ key, label: from }));
    this.remove({ key, label: from });
    if (picture) this.add({ ...picture, label: to });
  }

  /** @param {{key: string, label: string}} picture */
  has(picture) {
    return this.#pictures.has(placeOf(picture));
  }

  /** Of a picture in any class. @param {string} key @returns {Float32Array | null} */
  featuresOf(key) {
    for (const picture of this.#pictures.values()) if (picture.key === key) return picture.features;
    return null;
  }

  /** @returns {CachedPicture[]} in the order they came */
  get pictures() {
    return [...this.#pictures.values()];
  }
}

/** A picture may lie in two classes: its place is key and label. */
function placeOf({ key, label }) {
  return `${key} ${label}`;
}
