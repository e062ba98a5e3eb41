import { damaged } from "./fields.js";

/** Matrices of float32 as .npy files, version 1.0, which numpy reads everywhere. Source: NEP 1. */
const MAGIC = "\x93NUMPY\x01\x00";
const BEFORE = MAGIC.length + 2;
const ALIGNED = 64;
const LONGEST = 1024; // of a header; ours have 128 bytes

/** @param {Float32Array[]} rows of one length, at least one @returns {Blob} */
export function npyOf(rows) {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows.length}, ${rows[0].length}), }`;
  const padded = text.padEnd(Math.ceil((BEFORE + text.length + 1) / ALIGNED) * ALIGNED - BEFORE - 1) + "\n";
  const length = String.fromCharCode(padded.length & 255, padded.length >> 8);
  const header = Uint8Array.from(MAGIC + length + padded, (letter) => letter.charCodeAt(0));
  return new Blob([header, .../** @type {BlobPart[]} */ (/** @type {unknown} */ (rows))]);
}

/**
 * How many rows of which width a file has: as it says, if its bytes are just as many.
 *
 * @param {Blob} file @param {string} name for the error @returns {Promise<{rows: number, width: number, begin: number}>}
 */
async function shapeOf(file, name) {
  const bytes = new Uint8Array(await file.slice(0, LONGEST).arrayBuffer());
  const text = String.fromCharCode(...bytes);
  const begin = BEFORE + bytes[BEFORE - 2] + 256 * bytes[BEFORE - 1];
  const found = /^\{'descr': '<f4', 'fortran_order': False, 'shape': \((\d{1,9}), (\d{1,9})\), ?\} *\n$/.exec(text.slice(BEFORE, begin));
  const [rows, width] = [Number(found?.[1]), Number(found?.[2])];
  if (!text.startsWith(MAGIC) || !found || rows * width * 4 !== file.size - begin) throw damaged(`${name} holds no rows of float32, or not as many as it says`);
  return { rows, width, begin };
}

/** The rows, each with a buffer of its own, as it will travel alone; finite. @param {Blob} file @param {string} name @param {number} count how many there must be @returns {Promise<Float32Array[]>} */
export async function rowsIn(file, name, count) {
  const { rows, width, begin } = await shapeOf(file, name);
  if (rows !== count) throw damaged(`${name} holds ${rows} rows, not ${count}`);
  const values = new Float32Array(await file.slice(begin).arrayBuffer());
  if (!values.every(Number.isFinite)) throw damaged(`${name} holds NaN or infinity`);
  return Array.from({ length: rows }, (_, row) => values.slice(row * width, (row + 1) * width));
}
