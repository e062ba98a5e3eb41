/** How far a count of right answers can be trusted. */

/** The 97.5 % point of the standard normal distribution: 95 % lie within it on both sides. */
const Z = 1.959963984540054;

/**
 * The Wilson score interval of a share p = right / all at 95 %: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n).
 *
 * Chosen because it stays within 0 and 1 and keeps its promise with few pictures, where p ± z √(p(1-p)/n) does not. It takes the pictures for
 * independent draws; the models of cross-validation share pictures, so it is a little too narrow, and each learnt from fewer pictures than the
 * final one, so its middle is a little too low. `all` must not be 0.
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927); L. D. Brown, T. T. Cai,
 * A. DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001).
 *
 * @param {number} right @param {number} all @returns {[number, number]} shares
 */
export function wilson(right, all) {
  const p = right / all;
  const z2 = (Z * Z) / all;
  const middle = p + z2 / 2;
  const half = Z * Math.sqrt((p * (1 - p)) / all + z2 / (4 * all));
  return [Math.max(0, (middle - half) / (1 + z2)), Math.min(1, (middle + half) / (1 + z2))];
}

/** The same in pictures out of `all`, rounded to whole ones. @returns {[number, number]} */
export function expected(right, all) {
  const [low, high] = wilson(right, all);
  return [Math.round(low * all), Math.round(high * all)];
}
