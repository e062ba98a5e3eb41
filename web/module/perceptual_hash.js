/**
 * A short name for how a picture looks, of what the model sees: as pagetrain/perceptual_hash.py has it, which says how and why. Whole numbers
 * below 2 ** 53 throughout, so that it is the same bits there and here.
 */
const CELLS = 32;
const LOWEST = 8;
const COSINES = Array.from({ length: LOWEST }, (_, row) =>
  Array.from({ length: CELLS }, (_, cell) => Math.round(1024 * Math.cos((Math.PI * row * (2 * cell + 1)) / (2 * CELLS)))));

/** 16 hex digits. @param {Uint8Array} rgb @param {{width: number, height: number}} size @returns {string} */
export function perceptualHash(rgb, size) {
  const lowest = lowestFrequencies(cellMeans(rgb, size));
  const median = lowest.slice(1).sort((one, other) => one - other)[31]; // of 63
  const bits = lowest.map((value) => (value > median ? "1" : "0")).join("");
  return BigInt(`0b${bits}`).toString(16).padStart(16, "0");
}

/** Gray levels of 32 x 32 cells, rounded down. */
function cellMeans(rgb, { width, height }) {
  const means = [];
  for (let row = 0; row < CELLS; row += 1) {
    const [top, bottom] = bounds(row, height);
    for (let column = 0; column < CELLS; column += 1) {
      const [left, right] = bounds(column, width);
      let sum = 0;
      for (let y = top; y < bottom; y += 1) {
        for (let at = 3 * (y * width + left), end = 3 * (y * width + right); at < end; at += 3) sum += 299 * rgb[at] + 587 * rgb[at + 1] + 114 * rgb[at + 2];
      }
      means.push(Math.floor(sum / (1000 * (bottom - top) * (right - left))));
    }
  }
  return means;
}

/** Where a cell begins and ends; of sides below 32 some cells are the same. */
function bounds(cell, size) {
  const start = Math.min(Math.floor((cell * size) / CELLS), size - 1);
  return [start, Math.max(Math.floor(((cell + 1) * size) / CELLS), start + 1)];
}

/** The 8 x 8 lowest of the two-dimensional transform, row by row. */
function lowestFrequencies(means) {
  const rows = COSINES.map((weights) => Array.from({ length: CELLS }, (_, column) => sumOf(weights, (row) => means[row * CELLS + column])));
  return rows.flatMap((row) => COSINES.map((weights) => sumOf(weights, (column) => row[column])));
}

function sumOf(weights, valueAt) {
  return weights.reduce((sum, weight, index) => sum + weight * valueAt(index), 0);
}
