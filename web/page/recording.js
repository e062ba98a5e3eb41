/** Taking pictures with the camera: one after another for as long as somebody holds the button, all of one class, brought in together. */

import { photo } from "./camera.js";
import { takeIn } from "./intake.js";
import { changed, state } from "./state.js";
import { texts } from "./texts/texts.js";

/** Milliseconds from one picture to the next: six in a second. */
const PACE = 1000 / 6;

/** After that many the pictures of one burst say nothing new, and a button that was forgotten fills no memory. */
export const MOST = 240;

let bursts = 0;

/** Settles when the burst under way is in. */
let taking = Promise.resolve();

/** Begins to take pictures, the first of them at once. */
export function beginBurst() {
  const taken = take();
  taking = Promise.allSettled([taking, taken]).then(() => {});
  return taken;
}

async function take() {
  const { camera } = state;
  if (camera.phase !== "on" || camera.burst) return;
  bursts += 1;
  /** @type {import("./state.js").Burst} */
  const burst = { name: texts.camera.burst(bursts), files: [], over: false };
  camera.burst = burst;
  try {
    while (!burst.over && burst.files.length < MOST) {
      const next = performance.now() + PACE;
      if (!camera.silent) burst.files.push(await photo(texts.camera.file(burst.name, burst.files.length + 1)));
      changed();
      if (!burst.over) await new Promise((resolve) => setTimeout(resolve, next - performance.now()));
      if (state.camera !== camera) burst.over = true; // the camera went off, or another is on
    }
  } finally {
    camera.burst = null;
    if (burst.files.length > 0) bringIn(burst, camera.use);
  }
}

/** The picture that is just being taken is the last one. */
export function endBurst() {
  if (state.camera.burst) state.camera.burst.over = true;
}

/** The same, and waits until they are in their class. */
export function finishBurst() {
  endBurst();
  return taking;
}

function bringIn({ files }, use) {
  if (state.camera.use === use) state.camera.taken = files.length;
  const group = crypto.randomUUID(); // tested on none of them, where it has learnt from one
  takeIn({ found: files.map((file) => ({ file, path: [], group })), leftOut: 0, isBurst: true }, use);
}
