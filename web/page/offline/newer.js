/** Going over to the newer page that is kept beside this one: when the person asks for it, and nothing is under way any more. */

import { isAllKept } from "../keeping/keeper.js";
import { isLearning } from "../learning.js";
import { waitingCount } from "../reading.js";
import { changed, state } from "../state.js";
import { takeNewer } from "./offline.js";

export function wantNewer(wanted) {
  state.offline.newer = wanted ? "wanted" : "offered";
  changed();
}

/** What it still waits for; null for nothing. @returns {"training" | "reading" | "saving" | null} */
export function underWay() {
  if (isLearning()) return "training";
  if (waitingCount() + state.listings.size > 0) return "reading";
  return state.keeping.phase === "saving" ? "saving" : null;
}

/** Whether the work in this page is only in this page. */
export function isUnsaved() {
  return state.pictures.size > 0 && !["idle", "saving", "saved"].includes(state.keeping.phase);
}

/** To be called at every change. */
export async function goOver() {
  if (state.offline.newer !== "wanted" || underWay()) return;
  state.offline.newer = "taken";
  await isAllKept(); // what can be is, then
  await takeNewer().catch(console.warn);
  location.reload();
}
