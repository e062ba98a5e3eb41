/** Looking through what came, before anything is taken in: folders are walked and zips are listed, and the person may cancel meanwhile. */

import { say } from "./announcer.js";
import { filesOfDrop, filesOfPicker, isJunk } from "./drops.js";
import { settled } from "./keeping/changing.js";
import { kindOf } from "./kinds.js";
import { openWork } from "./project/opening.js";
import { changed, moved, state } from "./state.js";
import { texts } from "./texts/texts.js";
import { contentsOf } from "./zips.js";

/** Call it inside the event. `take` gets what was found, unless that was cancelled. @param {(taken: import("./drops.js").Taken) => void} take */
export function lookThroughDrop(transfer, take) {
  return lookThrough((onFile, signal) => filesOfDrop(transfer, onFile, signal), take);
}

/** @param {File[]} files of a picker @param {(taken: import("./drops.js").Taken) => void} take */
export function lookThroughPicked(files, take) {
  return lookThrough(async () => filesOfPicker(files), take);
}

async function lookThrough(find, take) {
  const listing = { files: 0, stop: new AbortController() };
  const { signal } = listing.stop;
  const onFile = () => { listing.files += 1; moved(); };
  state.listings.add(listing);
  changed();
  try {
    const taken = await find(onFile, signal);
    const work = workIn(taken);
    const opened = work ? null : await openZips(taken, onFile, signal);
    await settled();
    signal.throwIfAborted();
    if (work) openWork(work);
    else take(opened);
  } catch (error) {
    if (!signal.aborted) throw error;
    say(texts.report.listingCancelled);
  } finally {
    state.listings.delete(listing);
    changed();
  }
}

/** The one file, if it is a project or what somebody has learnt; among others it is refused, as it is not said then which is meant. */
function workIn({ found, lost = [] }) {
  return found.length === 1 && lost.length === 0 && kindOf(found[0].file) === "work" ? /** @type {File} */ (found[0].file) : null;
}

/** The same with the files of each zip in the zip's place. A zip inside a zip stays one. */
async function openZips({ found, lost = [], leftOut }, onFile, signal) {
  const all = { found: [], lost: [...lost], leftOut };
  for (const one of found) {
    const opened = kindOf(one.file) === "zip" ? await contentsOf(one.file, one.path, onFile, signal) : { found: [one], lost: [] };
    const own = opened.found.filter((inner) => !isJunk(inner));
    all.leftOut += opened.found.length - own.length;
    for (const inner of own) all.found.push(inner);
    for (const other of opened.lost) all.lost.push(other);
  }
  return all;
}
