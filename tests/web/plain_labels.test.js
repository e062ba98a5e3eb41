import assert from "node:assert/strict";
import test from "node:test";
import { arePlainLabels } from "../../web/module/plain_labels.js";

test("names that Python takes as they are", () => {
  for (const labels of [[], ["cat", "dog"], ["rote Äpfel", "🍏"], ["x".repeat(100)], ["🍏".repeat(100)], ["名前", "a b  c"]]) assert.ok(arePlainLabels(labels), labels);
});

test("names that it refuses or changes are left to it", () => {
  const many = Array.from({ length: 1001 }, (_, index) => `class ${index}`);
  const odd = [["a", "a"], [""], [" "], [" a"], ["a "], ["a\n"], ["a\u0085"], ["\ufeffa"], ["\u001ca"], ["a\u2028"], ["x".repeat(101)], ["\ud83c"], ["a\udf4f"], many];
  for (const labels of odd) assert.equal(arePlainLabels(labels), false, JSON.stringify(labels).slice(0, 40));
});
