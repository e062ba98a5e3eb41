/** Trying live: it is asked about what the camera sees, again and again, one picture at a time and no faster than a person reads. */

import { say } from "./announcer.js";
import { isOnFor, photo, switchCamera, turnOff, turnOn } from "./camera.js";
import { changed, isNone, nameOf, state, subscribe } from "./state.js";
import { enqueue } from "./trainer.js";
import { answersOf, keep, show } from "./tries.js";
import { texts } from "./texts/texts.js";

/** Milliseconds from one question to the next: at least these, and at least twice what an answer takes. */
const PACE = 250;

/** Turns the camera on and begins. */
export async function beginLive() {
  show(null);
  await turnOn("try");
  if (isOnFor("try")) goOn();
  else showNewest();
}

export async function otherCamera() {
  await switchCamera();
  if (isOnFor("try")) goOn();
}

/** Looks for as long as the camera is on and nothing else is shown. */
export async function goOn() {
  const { camera, tries } = state;
  /** @type {import("./state.js").Live} */
  const live = { file: null, answers: null, by: null, error: null, took: 0, said: null };
  Object.assign(tries, { live, shown: null });
  changed();
  while (isNow(live, camera)) {
    const since = performance.now();
    await lookOnce(live);
    const took = performance.now() - since;
    if (isNow(live, camera)) await new Promise((resolve) => setTimeout(resolve, Math.max(PACE, 2 * took) - took));
  }
}

/** Keeps the picture that was answered last, and stands still at it; the camera stays on. */
export function freeze() {
  const { live } = state.tries;
  if (live?.answers) keep(live);
}

export function endLive() {
  turnOff();
  showNewest();
}

/** Whatever turned the camera off. */
subscribe(() => state.tries.live && !isOnFor("try") && showNewest());

function showNewest() {
  if (state.tries.shown === null) show(state.tries.results[0]?.id ?? null);
}

function isNow(live, camera) {
  return state.tries.live === live && state.camera === camera;
}

async function lookOnce(live) {
  try {
    const since = performance.now();
    const file = await photo(texts.try.liveName(state.tries.kept + 1));
    const { by, answers } = await enqueue(async (pt) => ({ by: state.training.result, answers: await answersOf(pt, file) }));
    Object.assign(live, { file, by, answers, error: null, took: performance.now() - since });
    tellChange(live);
  } catch (error) {
    Object.assign(live, { answers: null, error: texts.reasonOf(error) });
  }
  changed();
}

/** Said is only what is new. */
function tellChange(live) {
  const [best] = live.answers;
  const now = isNone(best) ? texts.try.none : nameOf(best);
  if (now !== live.said && state.tries.live === live) say(texts.try.saidLive(now));
  live.said = now;
}
