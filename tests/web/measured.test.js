// web/page/measured.js: the facts of the advice are those that were measured, and the advice follows from them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { gainOf, goalFrom, RIGHT_OF_100 } from "../../web/page/measured.js";

const { rows } = JSON.parse(readFileSync(new URL("../../bench/results/accuracy.json", import.meta.url), "utf8"));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** As a table of docs/accuracy.md: of 100 unseen photos, the mean of the tasks. */
function measured(count) {
  const tasks = rows.filter((row) => row.count === count && row.variant === "cross-validation");
  return 100 * mean(tasks.map(({ trials }) => mean(trials.map(({ right, unseen }) => right / unseen))));
}

test("the page's numbers are those of the measurement, for each number of pictures that was measured", () => {
  assert.deepEqual([...RIGHT_OF_100.keys()], [...new Set(rows.map(({ count }) => count))]);
  for (const [count, right] of RIGHT_OF_100) assert.equal(right, Number(measured(count).toFixed(1)));
});

test("what is said of a goal is what was measured with it and with the number before it, in whole photos", () => {
  for (const [from, to] of [[5, 10], [10, 20]]) assert.deepEqual(gainOf(to), { from, to, before: Math.round(measured(from)), after: Math.round(measured(to)) });
});

test("the goal is the next number that was measured, and none where nothing is known to be gained", () => {
  assert.deepEqual([1, 7, 8, 15, 16, 20, 400].map(goalFrom), [10, 10, 20, 20, null, null, null]);
});
