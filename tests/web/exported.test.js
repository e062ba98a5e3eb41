// web/module/exported.js: what is compared, what counts as the same, and what the checked file then is.

import assert from "node:assert/strict";
import test from "node:test";
import { checkExported, differenceOf } from "../../web/module/exported.js";

const LABELS = ["a", "b"];
const OPENED = { labels: LABELS, noneBelow: 0.4, input: "input", preprocessing: "{}", pictureInput: false };
const answers = (a) => [{ label: "a", probability: a }, { label: "b", probability: 1 - a }];
const file = new Blob(["model"]);
const picture = new Blob(["picture"]);

/** A worker by its answers; `calls` has what it was asked. */
function making({ opened = OPENED, here = answers(0.75), there = answers(0.75), ...rest } = {}) {
  const calls = [];
  const replies = { openExported: opened, answer: here, askExported: there, endExported: { entry: new TextEncoder().encode("receipt"), sha256: "f".repeat(64) }, ...rest };
  const call = async (type, fields) => {
    calls.push([type, fields]);
    const reply = replies[type];
    if (reply instanceof Error) throw reply;
    return typeof reply === "function" ? reply(fields) : reply;
  };
  const records = { labels: LABELS, noneBelow: 0.4, find: (key) => (key === "known" ? { key, features: 1, hash: "h", label: "a" } : null) };
  return { calls, makers: { worker: { call }, records, features: async () => ({ key: "new", features: 2, hash: "n" }) } };
}

test("answers that agree give a file with its receipt, which says how many agreed and by how much", async () => {
  const { calls, makers } = making({ there: answers(0.75 + 2 ** -20) });
  const outcome = await checkExported(file, [{ file: picture }, { file: async () => picture, key: "known" }], makers);
  assert.deepEqual([outcome.pictures, outcome.same, outcome.largest, outcome.differing], [2, 2, 2 ** -20, []]);
  assert.equal(await outcome.file.text(), "modelreceipt");
  assert.equal(outcome.sha256, "f".repeat(64));
  assert.deepEqual(calls.map(([type]) => type), ["openExported", "answer", "askExported", "answer", "askExported", "endExported"]);
  assert.deepEqual(calls.filter(([type]) => type === "answer").map(([, { key }]) => key), ["new", "known"]);
  const { facts } = calls.at(-1)[1];
  assert.deepEqual([facts.pictures, facts.same, facts.largest_difference, facts.checked], [2, 2, 2 ** -20, outcome.checked.toISOString()]);
});

test("answers that differ are told with both sides, the most probable first, and the file stays without a receipt", async () => {
  const { calls, makers } = making({ there: answers(0.25) });
  const outcome = await checkExported(file, [{ file: picture }], makers);
  assert.deepEqual([outcome.same, outcome.largest, outcome.sha256], [0, 0.5, ""]);
  assert.deepEqual(outcome.differing.map(({ index, here, there }) => [index, here[0].label, there[0].label]), [[0, "a", "b"]]);
  assert.equal(outcome.file, file);
  assert.deepEqual(calls.at(-1), ["endExported", { facts: null }]);
});

test("what is no number is never the same", async () => {
  const outcome = await checkExported(file, [{ file: picture }], making({ there: answers(NaN) }).makers);
  assert.equal(outcome.same, 0);
  assert.ok(Number.isNaN(outcome.largest));
});

test("a file that names other classes, another order or another threshold is refused, and let go of", async () => {
  for (const opened of [{ ...OPENED, labels: ["b", "a"] }, { ...OPENED, noneBelow: null }]) {
    const { calls, makers } = making({ opened });
    await assert.rejects(checkExported(file, [{ file: picture }], makers), { kind: "FormatError" });
    assert.deepEqual(calls.at(-1), ["endExported", { facts: null }]);
  }
});

test("a class that only one of the two knows is a difference of 1", () => {
  assert.equal(differenceOf(answers(0.5), [{ label: "a", probability: 0.5 }, { label: "c", probability: 0.5 }]), 1);
  assert.equal(differenceOf(answers(0.5), [{ label: "a", probability: 0.5 }]), 1);
  assert.equal(differenceOf(answers(0.5), answers(0.5)), 0);
});

test("a picture that cannot be read again is left out, unless none is left", async () => {
  const gone = () => Promise.reject(new Error("moved"));
  const outcome = await checkExported(file, [{ file: gone }, { file: picture }, { file: gone }], making().makers);
  assert.deepEqual([outcome.pictures, outcome.same], [1, 1]);
  await assert.rejects(checkExported(file, [{ file: gone }, { file: gone }], making().makers), { kind: "PictureError" });
});

test("the signal stops it between two pictures, and the opened file is let go of", async () => {
  const stop = new AbortController();
  const { calls, makers } = making();
  const all = checkExported(file, [{ file: picture }, { file: picture }], { ...makers, signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(all, { name: "AbortError" });
  assert.deepEqual(calls.map(([type]) => type), ["openExported", "answer", "askExported", "endExported"]);
});

test("without a picture, or with one that is no file, there is nothing to compare", async () => {
  await assert.rejects(checkExported(file, [], making().makers), { kind: "InvalidInputError" });
  await assert.rejects(checkExported(file, [{ file: { width: 1 } }], making().makers), { kind: "InvalidInputError" });
});
