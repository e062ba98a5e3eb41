// web/module/arguments.js: what callers hand in is refused by name before it crosses to the worker.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedTrainOptions } from "../../web/module/arguments.js";

test("an option that there is not is refused, with those that there are", () => {
  assert.throws(() => checkedTrainOptions({ epoch: 3 }), { kind: "InvalidInputError", message: /"epoch"; there are epochs, batchSize/ });
  assert.deepEqual(checkedTrainOptions({ epochs: 3, seed: undefined }), { epochs: 3 });
});

test("what is no number is refused where one is meant", () => {
  assert.throws(() => checkedTrainOptions({ epochs: "3" }), { kind: "InvalidInputError", message: /epochs must be a number/ });
});
