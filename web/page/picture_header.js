/** The size a picture claims in its header: enough to leave alone what would unfold to gigabytes. Facts: the formats' own specifications. */

const HEAD_BYTES = 256 * 1024;

/** [width, height] of a PNG, GIF, BMP, WebP or JPEG; null where the header is of another kind or too short. */
export async function claimedSize(file) {
  const bytes = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer());
  try {
    return png(bytes) ?? gif(bytes) ?? bmp(bytes) ?? webp(bytes) ?? jpeg(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function png(view) {
  return view.getUint32(0) === 0x89504e47 ? [view.getUint32(16), view.getUint32(20)] : null;
}

function gif(view) {
  return view.getUint32(0) === 0x47494638 ? [view.getUint16(6, true), view.getUint16(8, true)] : null;
}

function bmp(view) {
  return view.getUint16(0) === 0x424d ? [Math.abs(view.getInt32(18, true)), Math.abs(view.getInt32(22, true))] : null;
}

function webp(view) {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return null;
  const kind = view.getUint32(12);
  if (kind === 0x56503858) return [1 + (view.getUint32(24, true) & 0xffffff), 1 + (view.getUint32(26, true) >>> 8)];
  if (kind === 0x5650384c) return [1 + (view.getUint32(21, true) & 0x3fff), 1 + ((view.getUint32(21, true) >>> 14) & 0x3fff)];
  return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
}

/** Walks the segments to the first start of frame (FFC0..FFCF without the tables C4, C8 and CC). */
function jpeg(view) {
  if (view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; ;) {
    const marker = view.getUint16(at);
    if (marker < 0xffc0) return null;
    const isFrame = marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + view.getUint16(at + 2);
  }
}
