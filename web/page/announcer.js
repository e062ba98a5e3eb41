/** Says things to people who cannot see the page: one live region, at most one sentence a second. */

import { h, setText } from "./elements.js";

const PAUSE = 1000;

export const announcer = h("p", { class: "hidden", role: "status" });

let next = null;
let lastAt = -PAUSE;

/** The latest sentence wins when several come within a second. */
export function say(sentence) {
  if (next === null) setTimeout(speak, Math.max(0, lastAt + PAUSE - performance.now()));
  next = sentence;
}

function speak() {
  lastAt = performance.now();
  setText(announcer, next);
  next = null;
}
