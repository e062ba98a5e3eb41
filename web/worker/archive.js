// The packages' files: a tar archive (POSIX ustar), as set-up writes it.

const BLOCK = 512; // bytes; headers and contents begin at multiples of it

/** [path, contents] of each file; contents are views into the archive, nothing is copied. @param {Uint8Array} archive @returns {Generator<[string, Uint8Array]>} */
function* filesOfTar(archive) {
  for (let at = 0; archive[at]; ) {
    const field = (offset, length) => textUpToZero(archive.subarray(at + offset, at + offset + length));
    const [name, folder, size] = [field(0, 100), field(345, 155), parseInt(field(124, 12), 8)];
    const begin = at + BLOCK;
    yield [folder ? `${folder}/${name}` : name, archive.subarray(begin, begin + size)];
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function textUpToZero(bytes) {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, end < 0 ? bytes.length : end));
}

/** Writes all files of an archive below `folder` of Pyodide's file system, which keeps the views. @param {any} FS @param {string} folder @param {Uint8Array} archive */
function unpackTar(FS, folder, archive) {
  const made = new Set();
  for (const [path, contents] of filesOfTar(archive)) {
    const place = `${folder}/${path}`;
    const parent = place.slice(0, place.lastIndexOf("/"));
    if (!made.has(parent)) FS.mkdirTree(parent);
    made.add(parent);
    FS.writeFile(place, contents, { canOwn: true });
  }
}
