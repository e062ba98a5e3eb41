/** Everything that this page keeps in this browser goes, of whoever was here: for a device that several people use. */

import { forgetKept } from "../module/kept_files.js";
import { eraseProjects } from "./keeping/keeper.js";
import { hasAnotherTab } from "./keeping/locks.js";
import { HOME } from "./offline/page_list.js";

/** How the names of what a person chose begin: the language, light or dark. */
const CHOICES = "pagetrain.";

/**
 * Then the page loads as at the very first visit. Rejects where the browser does not let go of something.
 * @returns {Promise<boolean>} false where another tab would only keep its work anew: nothing is erased then
 */
export async function eraseEverything() {
  if (await hasAnotherTab()) return false;
  await eraseProjects();
  await (await navigator.serviceWorker?.getRegistration(HOME))?.unregister();
  await forgetKept();
  for (const key of Object.keys(localStorage)) if (key.startsWith(CHOICES)) localStorage.removeItem(key);
  location.reload();
  return true;
}
