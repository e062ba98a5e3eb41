/** What the browser says that it keeps for this site. */

/**
 * `places`: bytes by kind of storage, of those that hold something; none where the browser tells the sum alone, which is `all`.
 * @returns {Promise<{ places: [string, number][], all: number }>}
 */
export async function keptHere() {
  try {
    const { usage = 0, usageDetails = {} } = /** @type {any} */ (await navigator.storage.estimate());
    return { places: Object.entries(usageDetails), all: usage };
  } catch {
    return { places: [], all: 0 }; // not told here
  }
}
