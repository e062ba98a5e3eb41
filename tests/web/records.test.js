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

const rowsIn = (records) => records.rows.map(({ key, variant }) => `${key} ${variant}`);

test("further rows stay as long as their picture is in some class, and none comes without its picture", () => {
  const records = filled();
  for (const key of ["1", "2", "3"]) for (const variant of ["mirrored", "top left"]) records.addRow({ key, variant, features });
  assert.deepEqual(rowsIn(records), ["1 mirrored", "1 top left", "2 mirrored", "2 top left"]);
  records.remove({ key: "1", label: "a" });
  records.move({ key: "2", from: "b", to: "a" });
  records.renameClass("a", "z", { labels: ["z", "b"], head });
  assert.equal(records.rows.length, 4);
  records.setClasses({ labels: ["z"], head });
  assert.deepEqual(rowsIn(records), ["2 mirrored", "2 top left"]);
  records.remove({ key: "2", label: "z" });
  assert.deepEqual(rowsIn(records), []);
});

test("a row that comes again replaces the one before, and is given to a new worker", () => {
  const records = filled();
  const { edition } = records;
  records.addRow({ key: "1", variant: "mirrored", features });
  records.addRow({ key: "1", variant: "mirrored", features: new Float32Array([2]) });
  assert.deepEqual(records.rows.map((row) => row.features[0]), [2]);
  assert.equal(records.edition, edition + 2);
});

test("a picture is removed from and moved out of one class only", () => {
  const records = filled();
  records.remove({ key: "1", label: "a" });
  records.move({ key: "2", from: "b", to: "a" });
  assert.deepEqual(places(records), ["1b", "2a"]);
});

test("contents that were put aside come back without pictures of classes that went meanwhile, and then without the head", () => {
  const records = filled();
  records.addRow({ key: "2", variant: "mirrored", features });
  records.noneBelow = 0.5;
  const { contents } = records;
  records.contents = { ...contents, head: null, noneBelow: null, pictures: new Map(), rows: new Map() };
  assert.deepEqual([records.labels, records.head, records.noneBelow, places(records), rowsIn(records)], [["a", "b"], null, null, [], []]);
  records.add({ key: "3", label: "a", features });
  records.contents = contents;
  assert.deepEqual([records.head, records.noneBelow, places(records), rowsIn(records)], [head, 0.5, ["1a", "1b", "2b"], ["2 mirrored"]]);
  records.setClasses({ labels: ["a"], head });
  records.contents = contents;
  assert.deepEqual([records.head, places(records), rowsIn(records)], [null, ["1a"], []]);
});
