import assert from "node:assert/strict";
import test from "node:test";
import { Records } from "../../web/module/records.js";

const head = new Uint8Array([1]);
const features = new Float32Array([0.5]);

function filled() {
  const records = new Records();
  records.setClasses({ labels: ["a", "b"], head });
  records.add({ key: "1", label: "a", features });
  records.add({ key: "1", label: "b", features });
  records.add({ key: "2", label: "b", features });
  return records;
}

const places = (records) => records.pictures.map(({ key, label }) => `${key}${label}`);

test("a class that is gone takes its pictures along, the others stay", () => {
  const records = filled();
  records.setClasses({ labels: ["b", "c"], head });
  assert.deepEqual(places(records), ["1b", "2b"]);
});

test("a renamed class keeps its pictures, in their order", () => {
  const records = filled();
  records.renameClass("b", "z", { labels: ["a", "z"], head });
  assert.deepEqual(places(records), ["1a", "1z", "2z"]);
});

test("a picture is removed from and moved out of one class only", () => {
  const records = filled();
  records.remove({ key: "1", label: "a" });
  records.move({ key: "2", from: "b", to: "a" });
  assert.deepEqual(places(records), ["1b", "2a"]);
});
