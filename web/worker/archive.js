// The packages' files: a tar archive (POSIX ustar), as set-up writes it.

const BLOCK = 512; // bytes; headers and contents begin at multiples of it
const ARCHIVE = "packages.tar";

/**
 * [path, contents] of each file; contents are views into the archive, nothing is copied. Throws `damaged`.
 *
 * @param {Uint8Array} archive @returns {Generator<[string, Uint8Array]>}
 */
function* filesOfTar(archive) {
  let at = 0;
  while (archive[at]) {
    const field = (offset, length) => textUpToZero(archive.subarray(at + offset, at + offset + length));
    const [name, folder, size] = [field(0, 100), field(345, 155), parseInt(field(124, 12), 8)];
    const begin = at + BLOCK;
    if (field(257, 6) !== "ustar") throw damaged(ARCHIVE, `no file of a tar archive begins at byte ${at}`);
    if (!(begin + size <= archive.length)) throw damaged(ARCHIVE, `it ends within ${name}`);
    yield [folder ? `${folder}/${name}` : name, archive.subarray(begin, begin + size)];
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (at === 0 || at >= archive.length) throw damaged(ARCHIVE, "it has no files, or no end"); // a block of zeros ends it
}

function textUpToZero(bytes) {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, end < 0 ? bytes.length : end));
}

/** Writes files below `folder` of Pyodide's file system, which keeps the views. @param {any} FS @param {string} folder @param {Iterable<[string, Uint8Array]>} files of filesOfTar */
function unpackTar(FS, folder, files) {
  const made = new Set();
  for (const [path, contents] of files) {
    const place = `${folder}/${path}`;
    const parent = place.slice(0, place.lastIndexOf("/"));
    if (!made.has(parent)) FS.mkdirTree(parent);
    made.add(parent);
    FS.writeFile(place, contents, { canOwn: true });
  }
}
