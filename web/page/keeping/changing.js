/** While a project is opened or left, nothing is taken in: it would be wiped, or come to the wrong one. What comes meanwhile waits. */

let last = Promise.resolve();

/** @template T @param {() => Promise<T>} job that puts something else on the page @returns {Promise<T>} */
export function changing(job) {
  const done = job();
  last = Promise.allSettled([last, done]).then(() => {});
  return done;
}

/** Settles when the page has what it is to have. */
export async function settled() {
  for (let seen; seen !== last;) {
    seen = last;
    await seen;
  }
}
