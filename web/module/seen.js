/** Pixels that are what the model sees already: of its size, and nothing shines through. */

/**
 * The RGB bytes of such a picture; null for files and for pixels that Python has to bring into shape.
 *
 * @param {import("../shared/protocol.js").Picture} picture @param {{width: number, height: number}} size of what the model sees
 * @returns {Uint8Array | null}
 */
export function seenAlready(picture, size) {
  if (picture instanceof Blob || picture.width !== size.width || picture.height !== size.height) return null;
  if (picture.channels === 3) return new Uint8Array(picture.data);
  return withoutAlpha(picture.data);
}

/** @param {Uint8Array | Uint8ClampedArray} rgba */
function withoutAlpha(rgba) {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    if (rgba[from + 3] !== 255) return null;
    rgb[to] = rgba[from];
    rgb[to + 1] = rgba[from + 1];
    rgb[to + 2] = rgba[from + 2];
  }
  return rgb;
}

/** The key of such a picture, as picture.py's key_of has it. @param {Uint8Array} rgb @param {{width: number, height: number}} size */
export async function keyOf(rgb, { width, height }) {
  const header = new TextEncoder().encode(`pagetrain pixels ${width} x ${height} x 3\n`);
  const whole = new Uint8Array(header.length + rgb.length);
  whole.set(header);
  whole.set(rgb, header.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
