/** The order of what comes in folders: that of the names, as people count, whatever order the disk has. */

import { slices } from "./slices.js";

const { compare } = new Intl.Collator(undefined, { numeric: true });

/**
 * What lies in no folder comes first, as it came; then folder after folder, and in each its files, by their names: 2.jpg before 12.jpg.
 * @param {any[]} list files with their folders, among them what could not be opened
 */
export async function byName(list) {
  /** @type {Map<string, any[]>} */
  const folders = new Map([["", []]]);
  for (const one of list) {
    const key = (one.path ?? []).join("/");
    if (!folders.has(key)) folders.set(key, []);
    folders.get(key).push(one);
  }
  const [loose, ...others] = folders.values();
  const breathe = slices();
  for (const inside of others) {
    inside.sort((a, b) => compare(a.file.name, b.file.name));
    await breathe();
  }
  others.sort(([a], [b]) => comparePaths(a.path, b.path));
  return [loose, ...others].flat();
}

/** A folder comes before those in it. */
function comparePaths(one, other) {
  const differs = one.findIndex((name, depth) => name !== other[depth]);
  if (differs < 0 || differs >= other.length) return one.length - other.length;
  return compare(one[differs], other[differs]);
}
