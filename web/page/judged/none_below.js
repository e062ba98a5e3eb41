/** "None of these": how sure the best answer must be to be given at all. */

import { isRight } from "./verdicts.js";

/** Of the right answers to new pictures, one in so many may go without an answer. */
const ONE_IN = 20;

/** With fewer right answers no value can keep that promise. */
export const ENOUGH = ONE_IN - 1;

/**
 * The r-th lowest probability of the n right answers, r = floor((n + 1) / 20), rounded down to whole percent; null where there are too few.
 *
 * Of the right answers to new pictures of the same kind r / (n + 1), so at most one in 20, are then expected to be below: the rank of a new
 * value among n others is equally likely to be any. That is split conformal prediction (V. Vovk, A. Gammerman, G. Shafer, "Algorithmic learning
 * in a random world", 2005; A. Angelopoulos, S. Bates, "A gentle introduction to conformal prediction", 2021), with the largest probability
 * as the score (D. Hendrycks, K. Gimpel, "A baseline for detecting misclassified and out-of-distribution examples", ICLR 2017).
 * It looks at right answers alone: there are no pictures here of what is none of the classes.
 *
 * @param {import("./verdicts.js").Verdict[]} verdicts @returns {number | null}
 */
export function learnNoneBelow(verdicts) {
  const sure = verdicts.filter(isRight).map((verdict) => verdict.sure).sort((a, b) => a - b);
  const rank = Math.floor((sure.length + 1) / ONE_IN);
  return rank === 0 ? null : Math.floor(sure[rank - 1] * 100) / 100;
}

/**
 * What it would have done on the judged pictures.
 *
 * @param {import("./verdicts.js").Verdict[]} verdicts @param {number | null} below null: always answers
 * @returns {{ all: number, unanswered: number, wrong: number }} wrong: of the unanswered ones
 */
export function outcome(verdicts, below) {
  const unanswered = verdicts.filter(({ sure }) => below !== null && sure < below);
  return { all: verdicts.length, unanswered: unanswered.length, wrong: unanswered.filter((verdict) => !isRight(verdict)).length };
}
