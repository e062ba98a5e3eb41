/** Small prints for the eye. The trainer never sees them: it reads the file itself. */

import { claimedSize } from "./picture_header.js";
import { changed } from "./state.js";

const AT_ONCE = 2;
const MOST_PIXELS = 64e6;

const waiting = [];
let working = 0;

/** Makes the print of a picture, a few at a time. `picture.thumb` becomes a blob URL, or null where the browser cannot show it. */
export function wantThumbnail(picture, side = 176) {
  if (picture.thumb !== undefined || picture.thumbWanted) return;
  picture.thumbWanted = true;
  waiting.push({ picture, side });
  next();
}

export function forgetThumbnail(picture) {
  picture.forgotten = true;
  if (picture.thumb) URL.revokeObjectURL(picture.thumb);
}

async function next() {
  if (working >= AT_ONCE || waiting.length === 0) return;
  const { picture, side } = waiting.shift();
  working += 1;
  if (!picture.forgotten) await develop(picture, side);
  working -= 1;
  next();
}

async function develop(picture, side) {
  const print = await printOf(picture.file, side).catch(() => null);
  if (picture.forgotten) return;
  picture.thumb = print && URL.createObjectURL(print);
  changed();
}

/** The middle square, upright, `side` pixels wide. Throws where the browser cannot decode the file; null for a picture that is too large. */
async function printOf(file, side) {
  const [width, height] = (await claimedSize(file)) ?? [0, 0];
  if (width * height > MOST_PIXELS) return null;
  const bitmap = await createImageBitmap(file);
  const square = Math.min(bitmap.width, bitmap.height);
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.fillStyle = "#fff";
  context.fillRect(0, 0, side, side);
  context.drawImage(bitmap, (bitmap.width - square) / 2, (bitmap.height - square) / 2, square, square, 0, 0, side, side);
  bitmap.close();
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}
