// web/page/receipt/sample.js: which pictures a file is asked about.

import assert from "node:assert/strict";
import test from "node:test";
import { MOST, sampleOf } from "../../web/page/receipt/sample.js";

const classOf = (name, count) => Array.from({ length: count }, (_, n) => `${name}${n}`);

test("all of them, where they are few", () => {
  const classes = [classOf("a", 20), [], classOf("b", MOST - 20)];
  assert.deepEqual(sampleOf(classes), classes.flat());
});

test("of many, each class has its share, a small one all it has, and each is gone through from its first to its last", () => {
  const sample = sampleOf([classOf("a", 1000), classOf("b", 4), classOf("c", 996)]);
  assert.equal(sample.length, MOST);
  const of = (name) => sample.filter((one) => one[0] === name);
  assert.deepEqual([of("a").length, of("b").length, of("c").length], [28, 4, 28]);
  assert.equal(of("a")[0], "a0");
  assert.ok(Number(of("a").at(-1).slice(1)) > 950);
  assert.equal(new Set(sample).size, MOST);
});

test("with more classes than that, one of each", () => {
  assert.equal(sampleOf(Array.from({ length: 150 }, (_, n) => classOf(`${n}-`, 3))).length, 150);
});

test("no pictures, no sample", () => {
  assert.deepEqual(sampleOf([[], []]), []);
});
