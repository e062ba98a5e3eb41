// web/page/judged: what the judged pictures say, against numbers worked out by hand from the definitions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { confusion, mixups, perClass } from "../../web/page/judged/counts.js";
import { expected, wilson } from "../../web/page/judged/interval.js";
import { ENOUGH, learnNoneBelow, outcome } from "../../web/page/judged/none_below.js";
import { disagreements, rightCount, unsure, verdictsOf } from "../../web/page/judged/verdicts.js";

/** Rows of probabilities under the labels a, b, c; the first letter of a key is its class. */
function judged(rows) {
  const pictures = Object.keys(rows).map((key) => ({ key, label: key[0] }));
  return { labels: ["a", "b", "c"], pictures, probabilities: Float32Array.from(Object.values(rows).flat()) };
}

const MIXED = judged({
  a1: [0.75, 0.125, 0.125],
  a2: [0.25, 0.5, 0.25],
  a3: [0.0625, 0.0625, 0.875],
  b1: [0.25, 0.5, 0.25],
  b2: [0.125, 0.625, 0.25],
  c1: [0.5, 0.375, 0.125],
});

test("a verdict holds what was said, how sure, and the loss of the person's own class", () => {
  const [first, second] = verdictsOf(MIXED);
  assert.deepEqual(first, { index: 0, truth: 0, said: 0, rival: 1, sure: 0.75, own: 0.75, chance: 0.125, loss: -Math.log(0.75) });
  assert.deepEqual(second, { index: 1, truth: 0, said: 1, rival: 1, sure: 0.5, own: 0.25, chance: 0.5, loss: -Math.log(0.25) });
});

test("the rival is the best of the other classes: what was said where that was wrong, else what comes next", () => {
  const verdicts = verdictsOf(MIXED);
  assert.deepEqual(verdicts.map(({ rival, chance }) => [rival, chance]), [[1, 0.125], [1, 0.5], [2, 0.875], [0, 0.25], [2, 0.25], [0, 0.5]]);
  for (const { truth, said, rival } of verdicts) if (said !== truth) assert.equal(rival, said);
});

test("of equal probabilities the first one is said, as numpy's argmax does", () => {
  assert.deepEqual(verdictsOf(judged({ c1: [0.25, 0.375, 0.375] })).map(({ said }) => said), [1]);
});

test("a picture that its class was given no chance has infinite loss and comes first", () => {
  const verdicts = verdictsOf(judged({ a1: [0.25, 0.5, 0.25], b1: [1, 0, 0], c1: [0, 0, 1] }));
  assert.deepEqual(disagreements(verdicts).map(({ index, loss }) => [index, loss]), [[1, Infinity], [0, -Math.log(0.25)]]);
});

test("disagreements come by loss, right answers by how unsure they are", () => {
  const verdicts = verdictsOf(MIXED);
  assert.deepEqual(disagreements(verdicts).map(({ index }) => MIXED.pictures[index].key), ["a3", "c1", "a2"]);
  assert.deepEqual(unsure(verdicts).map(({ index }) => MIXED.pictures[index].key), ["b1", "b2", "a1"]);
  assert.equal(rightCount(verdicts), 3);
});

test("rows are what the person said, columns what it said", () => {
  const counts = confusion(verdictsOf(MIXED), 3);
  assert.deepEqual(counts, [[1, 1, 1], [0, 2, 0], [1, 0, 0]]);
  assert.deepEqual(perClass(counts), [{ right: 1, own: 3, said: 2 }, { right: 2, own: 2, said: 3 }, { right: 0, own: 1, said: 1 }]);
  assert.deepEqual(mixups([[1, 1, 3], [0, 2, 0], [2, 0, 0]]), [{ truth: 0, said: 2, n: 3 }, { truth: 2, said: 0, n: 2 }, { truth: 0, said: 1, n: 1 }]);
});

test("classes without judged pictures have empty rows", () => {
  const verdicts = verdictsOf(judged({ a1: [0.75, 0.125, 0.125] }));
  assert.deepEqual(perClass(confusion(verdicts, 3)), [{ right: 1, own: 1, said: 1 }, { right: 0, own: 0, said: 0 }, { right: 0, own: 0, said: 0 }]);
  assert.deepEqual(confusion([], 2), [[0, 0], [0, 0]]);
});

// The ends of a Wilson interval are the shares q at which the count is just z standard errors away: (p - q)² = z² q(1 - q)/n.
test("both ends of the interval solve the equation that defines it", () => {
  for (const [right, all] of [[42, 48], [1, 3], [5, 10], [119, 120]]) {
    for (const end of wilson(right, all)) {
      assert.ok(Math.abs((right / all - end) ** 2 - (1.959963984540054 ** 2 * end * (1 - end)) / all) < 1e-12); // float64
    }
  }
});

test("all right or all wrong still leaves room on one side, and none on the other", () => {
  const [low, high] = wilson(10, 10);
  assert.ok(Math.abs(high - 1) < 1e-12); // float64
  assert.ok(Math.abs(low - 10 / (10 + 1.959963984540054 ** 2)) < 1e-12); // with p = 1 the lower end is n / (n + z²)
  assert.equal(wilson(0, 10)[0], 0);
});

test("the interval is told in whole pictures", () => {
  assert.deepEqual(expected(42, 48), [36, 45]); // 0.7530 and 0.9414 of 48 are 36.1 and 45.2
});

/** `n` right answers with these probabilities, in any order, and wrong ones. */
function answers(right, wrong = []) {
  return [...right.map((sure) => ({ truth: 0, said: 0, sure })), ...wrong.map((sure) => ({ truth: 0, said: 1, sure }))];
}

const steps = (n) => Array.from({ length: n }, (_, i) => 0.505 + i / 100);

test("with fewer than 19 right answers nothing is learnt, however many wrong ones there are", () => {
  assert.equal(ENOUGH, 19);
  assert.equal(learnNoneBelow(answers(steps(18), steps(30))), null);
  assert.equal(learnNoneBelow([]), null);
});

test("it is the lowest right answer of 19 to 38, the second lowest of 39 to 58, in whole percent below it", () => {
  assert.equal(learnNoneBelow(answers(steps(19).reverse(), [0.1])), 0.5);
  assert.equal(learnNoneBelow(answers(steps(38))), 0.5);
  assert.equal(learnNoneBelow(answers(steps(39))), 0.51);
  assert.equal(learnNoneBelow(answers(steps(49))), 0.51);
});

test("the outcome counts answers below the value, not those on it, and the wrong among them", () => {
  const verdicts = answers([0.4, 0.5, 0.9], [0.3, 0.45, 0.8]);
  assert.deepEqual(outcome(verdicts, 0.5), { all: 6, unanswered: 3, wrong: 2 });
  assert.deepEqual(outcome(verdicts, null), { all: 6, unanswered: 0, wrong: 0 });
});
