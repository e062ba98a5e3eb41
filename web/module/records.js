/**
 * What the page keeps of the work, as it came, so that a new worker can go on where a dead one stopped: the classes, each picture's
 * features, with those of its variants, and the hash of how it looks, the learnt head as a checkpoint, and the threshold. No picture is kept.
 *
 * @typedef {import("../shared/protocol.js").CachedPicture} CachedPicture
 * @typedef {import("../shared/protocol.js").CachedRow} CachedRow
 */
export class Records {
  /** @type {string[]} */
  labels = [];
  /** @type {Uint8Array | null} */
  head = null;
  /** @type {number | null} */
  noneBelow = null;
  /** @type {Map<string, CachedPicture>} */
  #pictures = new Map();
  /** Of a picture that is in some class, by key and then by variant. @type {Map<string, Map<string, CachedRow>>} */
  #rows = new Map();
  /** Another number after each change. */
  edition = 0;

  /** Classes that are gone take their pictures with them. @param {{labels: string[], head: Uint8Array | null}} classes */
  setClasses({ labels, head }) {
    this.edition += 1;
    this.labels = labels;
    this.head = head;
    for (const [place, { label }] of this.#pictures) if (!labels.includes(label)) this.#pictures.delete(place);
    const { keys } = this;
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#rows.delete(key);
  }

  /** All but the classes' names. Put back, pictures of classes that are gone meanwhile stay out, and the head if any class is another. */
  get contents() {
    return { labels: this.labels, head: this.head, noneBelow: this.noneBelow, pictures: this.#pictures, rows: this.#rows };
  }

  set contents({ labels, head, noneBelow, pictures, rows }) {
    this.noneBelow = noneBelow;
    this.#pictures = new Map(pictures);
    this.#rows = new Map(rows);
    const same = labels.length === this.labels.length && labels.every((label, index) => label === this.labels[index]);
    this.setClasses({ labels: this.labels, head: same ? head : null });
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
    if (this.#rows.has(picture.key) && !this.find(picture.key)) this.#rows.delete(picture.key);
  }

  /** Nothing where its picture has gone meanwhile. @param {CachedRow} row */
  addRow(row) {
    const ofPicture = this.#rows.get(row.key) ?? new Map();
    if (ofPicture.size === 0 && !this.find(row.key)) return;
    this.edition += 1;
    this.#rows.set(row.key, ofPicture.set(row.variant, row));
  }

  /** @param {{key: string, from: string, to: string}} move */
  move({ key, from, to }) {
    const picture = this.#pictures.get(placeOf({ key, label: from }));
    if (picture) this.add({ ...picture, label: to });
    if (from !== to) this.remove({ key, label: from });
  }

  /** @param {{key: string, label: string}} picture */
  has(picture) {
    return this.#pictures.has(placeOf(picture));
  }

  /** A picture in any class. @param {string} key @returns {CachedPicture | null} */
  find(key) {
    for (const picture of this.#pictures.values()) if (picture.key === key) return picture;
    return null;
  }

  /** @returns {CachedPicture[]} in the order they came */
  get pictures() {
    return [...this.#pictures.values()];
  }

  /** Of all pictures: one that lies in two classes has one. */
  get keys() {
    return new Set(this.pictures.map(({ key }) => key));
  }

  /** @returns {CachedRow[]} */
  get rows() {
    return [...this.#rows.values()].flatMap((ofPicture) => [...ofPicture.values()]);
  }
}

/** A picture may lie in two classes: its place is key and label. */
export function placeOf({ key, label }) {
  return `${key} ${label}`;
}
