/** Small prints for the eye. The trainer never sees them: it reads the file itself. */

import { opened } from "./packed_file.js";
import { claimedSize } from "./picture_header.js";
import { moved } from "./state.js";

const AT_ONCE = 2;
const MOST_PIXELS = 64e6;
/** How many times as wide a large photo is drawn first, quickly: a good print straight from 12 megapixels would hold the page up for 150 ms. */
const ROUGH = 4;

/** Prints that are wanted and not made yet, the first wanted first. @type {Map<object, number>} picture -> side */
const waiting = new Map();
let working = 0;

/**
 * Makes the print of a picture, a few at a time. `picture.thumb` becomes a blob URL, or null where the browser cannot show it.
 * Who shows a print asks for it whenever it draws itself: the print may have been forgotten by somebody else.
 */
export function wantThumbnail(picture, side = 176) {
  if (picture.thumb !== undefined || picture.printing || waiting.has(picture)) return;
  waiting.set(picture, side);
  next();
}

/** Lets go of the print's memory, or of the wish for it. It may be wanted again. */
export function forgetThumbnail(picture) {
  waiting.delete(picture);
  if (picture.thumb) URL.revokeObjectURL(picture.thumb);
  picture.thumb = undefined;
  picture.printing = null;
}

async function next() {
  if (working >= AT_ONCE || waiting.size === 0) return;
  const [picture, side] = waiting.entries().next().value;
  waiting.delete(picture);
  working += 1;
  await develop(picture, side);
  working -= 1;
  next();
}

async function develop(picture, side) {
  const printing = (picture.printing = Symbol(picture.name));
  const print = await printOf(picture.file, side).catch(() => null);
  if (picture.printing !== printing) return; // forgotten meanwhile
  picture.printing = null;
  picture.thumb = print && URL.createObjectURL(print);
  moved();
}

/** The middle square, upright, `side` pixels wide. Throws where the browser cannot decode the file; null for a picture that is too large. */
async function printOf(source, side) {
  const file = await opened(source);
  const [width, height] = (await claimedSize(file)) ?? [0, 0];
  if (width * height > MOST_PIXELS) return null;
  const bitmap = await createImageBitmap(file);
  const square = Math.min(bitmap.width, bitmap.height);
  const middle = { image: bitmap, x: (bitmap.width - square) / 2, y: (bitmap.height - square) / 2, square };
  const print = drawn(square > ROUGH * side ? { image: drawn(middle, ROUGH * side, "low"), x: 0, y: 0, square: ROUGH * side } : middle, side, "high");
  bitmap.close();
  return print.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}

/** @param {{ image: CanvasImageSource, x: number, y: number, square: number }} part @param {number} side @param {ImageSmoothingQuality} quality */
function drawn({ image, x, y, square }, side, quality) {
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext("2d", { willReadFrequently: true }); // kept where it is read
  context.imageSmoothingQuality = quality;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, side, side);
  context.drawImage(image, x, y, square, square, 0, 0, side, side);
  return canvas;
}
