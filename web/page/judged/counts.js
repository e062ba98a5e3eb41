/** Verdicts counted: who was taken for whom, and what that means for each class. */

/**
 * counts[truth][said], as scikit-learn's confusion_matrix has it.
 *
 * @param {import("./verdicts.js").Verdict[]} verdicts @param {number} classes how many there are @returns {number[][]}
 */
export function confusion(verdicts, classes) {
  const counts = Array.from({ length: classes }, () => Array(classes).fill(0));
  for (const { truth, said } of verdicts) counts[truth][said] += 1;
  return counts;
}

/**
 * recall = right / own, precision = right / said, as counts; a class without judged pictures has own = 0, one that was never said has said = 0.
 *
 * @param {number[][]} counts @returns {{ right: number, own: number, said: number }[]} one for each class
 */
export function perClass(counts) {
  return counts.map((row, place) => ({
    right: row[place],
    own: row.reduce((sum, n) => sum + n, 0),
    said: counts.reduce((sum, other) => sum + other[place], 0),
  }));
}

/** Pairs that were mixed up, the most frequent first. @param {number[][]} counts @returns {{ truth: number, said: number, n: number }[]} */
export function mixups(counts) {
  const pairs = counts.flatMap((row, truth) => row.map((n, said) => ({ truth, said, n })));
  return pairs.filter(({ truth, said, n }) => truth !== said && n > 0).sort((a, b) => b.n - a.n);
}
