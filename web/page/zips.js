/** Zips as one more way in: what is in one is listed as if its folders had been dropped, and nothing is unpacked yet. */

import { kindOf } from "./kinds.js";
import { PackedFile, codeOf } from "./packed_file.js";
import { slices } from "./slices.js";

/** As many bytes as a picture may have; the trainer's limit for files, too. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_ENTRIES = 50_000;

/** How the reader goes about it: here, without workers of its own; what two entries share, or what differs from its checksum, is damaged. */
const OPTIONS = { strictness: "tolerant", useWebWorkers: false, useCompressionStream: true, checkSignature: true, checkOverlappingEntry: true };

/** @type {Promise<any> | null} */
let reader = null;

/** Fetches what reads zips; called before the page is sealed. Where it does not arrive, zips are refused, and the next call tries again. */
export function loadZipReader() {
  reader ??= import(new URL("zip_reader.js", import.meta.url).href).catch((error) => {
    console.warn(error);
    reader = null;
  });
  return reader;
}

/**
 * The files of a zip, each with the folders above it: `path`, and the folders inside, or the zip's own name where there are none.
 * @param {File} file @param {string[]} path @param {() => void} onFile @param {AbortSignal} [signal]
 * @returns {Promise<{ found: import("./drops.js").Found[], lost: import("./drops.js").Lost[] }>}
 */
export async function contentsOf(file, path, onFile, signal) {
  const found = [];
  const lost = [];
  const own = file.name.replace(/\.zip$/i, "");
  try {
    for await (const { entry, name, folders, code } of entriesOf(file, signal)) {
      onFile();
      if (code) lost.push({ name, zip: file.name, code });
      else found.push({ file: new PackedFile(entry, name, file.name), path: [...path, ...(folders.length > 0 ? folders : [own])] });
    }
    if (found.length + lost.length >= MOST_ENTRIES) lost.push({ name: file.name, code: "too-many" });
  } catch (error) {
    signal?.throwIfAborted();
    return { found: [], lost: [{ name: file.name, code: error.code ?? codeOf(error) }] };
  }
  return summed(file, found, lost);
}

/** Each file of a zip in the zip's order; `code`: why it cannot be taken. */
async function* entriesOf(file, signal) {
  if (file.size === 0) throw Object.assign(new Error("no bytes"), { code: "empty" });
  const { BlobReader, ZipReader } = (await loadZipReader()) ?? {};
  if (!ZipReader) throw Object.assign(new Error("nothing reads zips here"), { code: "archive" });
  const breathe = slices();
  let count = 0;
  for await (const entry of new ZipReader(new BlobReader(file), OPTIONS).getEntriesGenerator()) {
    signal?.throwIfAborted();
    await breathe();
    if (entry.directory) continue;
    const place = placeOf(entry.filename);
    yield { entry, ...place, code: place.code ?? refusalOf(entry) };
    count += 1;
    if (count === MOST_ENTRIES) return;
  }
}

function refusalOf(entry) {
  if (entry.encrypted) return "locked";
  return entry.uncompressedSize > MOST_BYTES ? "too-large" : null;
}

/**
 * Folders and name of an entry. Names are words to show and to call classes by, never paths to write to; one that leads out of its zip is refused
 * all the same: no honest zip has it.
 */
export function placeOf(filename) {
  const parts = filename.split(/[/\\]/);
  const name = parts.at(-1);
  const leadsOut = parts[0] === "" || /^[a-z]:$/i.test(parts[0]) || parts.includes("..");
  return { name, folders: parts.slice(0, -1).filter((part) => part !== "" && part !== "."), code: leadsOut ? "leads-out" : null };
}

/** A zip that is locked whole is one thing to say, not hundreds; one without pictures is said to be so. */
function summed(file, found, lost) {
  const zip = (code) => ({ name: file.name, code });
  if (found.length === 0 && lost.length > 0 && lost.every(({ code }) => code === "locked")) return { found, lost: [zip("locked")] };
  const hasPictures = lost.some(({ code }) => code !== "too-many") || found.some((one) => kindOf(one.file) === "picture");
  return { found, lost: hasPictures ? lost : [...lost, zip("no-pictures")] };
}
