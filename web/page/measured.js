/** What more pictures bring, as docs/accuracy.md has it: facts for the advice. A test compares them with bench/results/accuracy.json. */

/** By pictures of each class: of 100 photos it had not seen, how many were right. Means of three tasks, 20 draws each, default settings. */
export const RIGHT_OF_100 = new Map([[5, 76.7], [10, 82.3], [20, 85.2]]);

const COUNTS = [...RIGHT_OF_100.keys()];
/** What a class should have before the first training. */
export const FIRST_GOAL = COUNTS[1];

/** A class that has this share of a number is as good as there. */
const NEARLY = 0.8;

/** How many pictures are worth going for, from `n`: of the numbers of which it is known what they bring (5 is where that begins). Null: none of them. */
export function goalFrom(n) {
  return COUNTS.slice(1).find((count) => n < NEARLY * count) ?? null;
}

/**
 * Of 100 unseen photos, how many were right with `goal` pictures of each class, and with the number of them that was measured before it.
 * @returns {{ from: number, to: number, before: number, after: number }}
 */
export function gainOf(goal) {
  const from = COUNTS[COUNTS.indexOf(goal) - 1];
  return { from, to: goal, before: Math.round(RIGHT_OF_100.get(from)), after: Math.round(RIGHT_OF_100.get(goal)) };
}
