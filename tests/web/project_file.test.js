import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { crc32 } from "../../web/module/project/crc32.js";
import { npyOf, rowsIn } from "../../web/module/project/npy.js";
import { projectFile, readProject } from "../../web/module/project/project_file.js";
import { StoredZip, zipOf } from "../../web/module/project/stored_zip.js";

const base = { name: "net", fingerprint: "sha256:1" };
const photo = (text) => new File([text], `${text}.JPG`);
const keyOf = (text) => createHash("sha256").update(text).digest("hex");
const placed = (text, label, numbers, group) => ({ key: keyOf(text), label, features: Float32Array.from(numbers), hash: "0123456789abcdef", group });
const contents = {
  base,
  layers: "last-layer",
  labels: ["cat", "dog"],
  pictures: [placed("one", "cat", [1, 2]), placed("two", "dog", [0.5, -0.25], "burst"), placed("one", "dog", [1, 2])],
  head: null,
  noneBelow: 0.4,
};
const training = {
  labels: ["cat", "dog"],
  stale: true,
  took: 812.5,
  bestEpoch: 2,
  validationAccuracy: 0.5,
  validationLoss: null,
  stopped: false,
  folds: 2,
  trainCount: 3,
  validationCount: 2,
  epochs: [{ epoch: 1, epochs: 2, loss: 0.7, accuracy: 0.5, validationLoss: null, validationAccuracy: 0.5, best: false, trainCount: 3, validationCount: 2, sure: { k: 1 } }],
  judged: { labels: ["cat", "dog"], pictures: [{ key: keyOf("one"), label: "cat" }], probabilities: Float32Array.of(0.75, 0.25) },
};
const told = {
  name: "Pets <b>",
  settings: { batchSize: 8, classWeights: { labelSmoothing: 2 }, augment: { mirror: true } },
  training,
  noneBelowChosen: true,
  pictures: [
    { key: keyOf("two"), label: "dog", file: photo("two"), confirmed: true },
    { key: keyOf("one"), label: "cat", name: "first.png", file: photo("one") },
    { key: keyOf("one"), label: "dog", file: photo("one") },
    { label: null, file: photo("three") },
    { key: keyOf("gone"), label: "cat", file: photo("gone") },
  ],
};
const checkpoint = new Blob(["checkpoint"]);

async function saved(more = told) {
  return projectFile(contents, checkpoint, more);
}

test("what was saved is read again: contents, photos, settings, what the training told", async () => {
  const { contents: read, checkpoint: blob, told: said } = await readProject(await saved(), { base });
  const { head, ...rest } = contents;
  const order = [1, 0, 2].map((place) => contents.pictures[place]);
  assert.deepEqual(read, { ...rest, pictures: order });
  assert.equal(await blob.text(), "checkpoint");
  assert.deepEqual([said.name, said.settings, said.noneBelowChosen], [told.name, told.settings, true]);
  assert.deepEqual(said.pictures.map(({ key, label, name, group, confirmed }) => [key, label, name, group, confirmed]), [
    [keyOf("two"), "dog", "two.JPG", "burst", true],
    [keyOf("one"), "cat", "first.png", "", false],
    [keyOf("one"), "dog", "one.JPG", "", false],
    [keyOf("three"), null, "three.JPG", "", false],
  ]);
  assert.deepEqual(await Promise.all(said.pictures.map(({ file }) => file.text())), ["two", "one", "one", "three"]);
  const { epochs: [{ sure, ...epoch }], ...whole } = training;
  assert.deepEqual(said.training, { ...whole, epochs: [epoch] });
});

test("without photos nothing of them is in it, and unsorted ones are left out; what nobody told is empty", async () => {
  const { contents: read, told: said } = await readProject(await projectFile(contents, null, {}), { base });
  assert.deepEqual(read.pictures, contents.pictures);
  assert.deepEqual([said.name, said.settings, said.training], ["", {}, null]);
  assert.deepEqual(said.pictures.map(({ name, file }) => [name, file]), [["", null], ["", null], ["", null]]);
});

test("a photo is a slice of the file: the same bytes in the same place", async () => {
  const file = await saved();
  const bytes = Buffer.from(await file.arrayBuffer());
  assert.ok(bytes.includes("photos/00001.jpgtwo")); // its name, and then its bytes
  assert.deepEqual(Buffer.from(await (await saved()).arrayBuffer()), bytes);
});

test("the checksum is zip's", async () => {
  assert.equal(await crc32(new Blob(["123456789"])), 0xcbf43926); // the check value of CRC-32/ISO-HDLC
  assert.equal(await crc32(new Blob([])), 0);
});

const refused = (code, said) => ({ name, kind, code: found, message }) => name === "PagetrainError" && kind === "FormatError" && found === code && said.test(message) && message.length < 400;

async function refuse(blob, code, said) {
  await assert.rejects(readProject(blob, { base }), refused(code, said), String(said));
}

/** The members of a sound file, some of them others. */
async function changed(change) {
  const zip = await StoredZip.open(await saved());
  const names = ["project.json", "features.npy", "judged.npy", "checkpoint", "photos/00001.jpg", "photos/00002.png", "photos/00003.jpg"];
  const members = new Map(await Promise.all(names.map(async (name) => [name, await zip.read(name)])));
  const root = JSON.parse(await members.get("project.json").text());
  const other = change({ root, members });
  members.set("project.json", other instanceof Blob ? other : new Blob([JSON.stringify(root)]));
  return zipOf([...members]);
}

test("cut off at any length, or with any byte of the zip's own changed", async () => {
  const file = await saved();
  for (let length = 0; length < file.size; length += 7) await refuse(file.slice(0, length), "damaged", /no whole project file/);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const list = Buffer.from(bytes).indexOf("PK\x01\x02");
  let found = 0;
  for (let place = list; place < bytes.length; place += 1) {
    const broken = bytes.slice();
    broken[place] ^= 0x41;
    const outcome = await readProject(new Blob([broken]), { base }).then(() => "read", ({ kind }) => kind);
    assert.ok(["read", "FormatError"].includes(outcome), `${place}: ${outcome}`);
    found += outcome === "FormatError" ? 1 : 0;
  }
  assert.ok(found > (bytes.length - list) / 2, `${found} changes were seen`); // versions, times and attributes are not looked at
});

test("a changed byte inside a member", async () => {
  const bytes = Buffer.from(await (await saved()).arrayBuffer());
  for (const [text, said] of [["NUMPY", /checksum of features/], ["checkpoint", /checksum|not where/], ["pagetrain-project", /checksum of project/], ["two", /not the picture/]]) {
    const broken = Buffer.from(bytes);
    broken[text === "two" ? bytes.indexOf("photos/00001.jpgtwo") + 16 : text === "checkpoint" ? bytes.indexOf("checkpointcheckpoint") + 15 : bytes.indexOf(text)] ^= 1;
    await refuse(new Blob([broken]), "damaged", said);
  }
});

test("a zip that packs, locks, names twice or lies", async () => {
  const bytes = Buffer.from(await (await saved()).arrayBuffer());
  const entry = bytes.lastIndexOf("features.npy") - 46;
  const lie = (fields) => {
    const lied = Buffer.from(bytes);
    for (const [place, size, value] of fields) lied.writeUIntLE(value, entry + place, size);
    return new Blob([lied]);
  };
  await refuse(lie([[10, 2, 8]]), "packed", /packed it anew/);
  await refuse(lie([[8, 2, 1]]), "packed", /locked/);
  await refuse(lie([[24, 4, 2 ** 32 - 1]]), "damaged", /claim more bytes/);
  await refuse(lie([[20, 4, 2 ** 32 - 1], [24, 4, 2 ** 32 - 1]]), "damaged", /claim more bytes/);
  await refuse(lie([[42, 4, 5]]), "damaged", /not where the list says/);
  await refuse(lie([[42, 4, 2 ** 32 - 1]]), "damaged", /not where the list says/);
  await refuse(await zipOf([["project.json", new Blob(["{}"])], ["project.json", new Blob(["{}"])]]), "damaged", /two members of one name/);
  await refuse(new Blob(["Dear Sir or Madam"]), "damaged", /its end is missing/);
  await refuse(await zipOf([["a/1.jpg", photo("one")]]), "damaged", /"project.json" is missing/);
});

test("another kind, a newer version, another base model: each said as what it is", async () => {
  await refuse(await changed(({ root }) => { root.format = "zoo"; }), "other-kind", /another kind of file/);
  await refuse(await changed(({ root }) => { root.version = 2; }), "newer", /version 2, this page reads 1/);
  await refuse(await changed(({ root }) => { root.base.name = "large"; }), "base", /base model large, and here is net/);
  await refuse(await changed(({ root }) => { root.base.fingerprint = "x"; }), "base", /another build of net/);
});

const WRONG = {
  "no object": () => new Blob(["[]"]),
  "no JSON": () => new Blob(["{"]),
  "too long": () => new Blob([" ".repeat(8 * 2 ** 20 + 1)]),
  "too deep": () => new Blob(["[".repeat(5_000_000)]),
  "labels twice": ({ root }) => { root.labels = ["cat", "cat"]; },
  "labels no list": ({ root }) => { root.labels = "cat"; },
  "an unknown class": ({ root }) => { root.pictures[0].label = "bird"; },
  "no row": ({ root }) => { root.pictures[0].row = null; },
  "a row beyond": ({ root }) => { root.pictures[0].row = 9; },
  "a broken row": ({ root }) => { root.pictures[0].row = 0.5; },
  "another row": ({ root }) => { root.pictures[2].row = 1; },
  "twice there": ({ root }) => { root.pictures.push(root.pictures[0]); },
  "a key that leads out": ({ root }) => { root.pictures[0].key = "../".repeat(20); },
  "a hash that is none": ({ root }) => { root.pictures[0].hash = "zz"; },
  "a name too long": ({ root }) => { root.pictures[0].name = "n".repeat(1001); },
  "a file that leads out": ({ root }) => { root.pictures[0].file = "../../etc/passwd"; },
  "a file of another kind": ({ root }) => { root.pictures[0].file = "checkpoint"; },
  "a file that is not there": ({ root }) => { root.pictures[0].file = "photos/99999.jpg"; },
  "unsorted without file": ({ root }) => { root.pictures[3].file = null; },
  "confirmed in words": ({ root }) => { root.pictures[0].confirmed = "yes"; },
  "no probability": ({ root }) => { root.none_below = 2; },
  "a threshold in words": ({ root }) => { root.none_below = "often"; },
  "settings": ({ root }) => { root.settings = []; },
  "rounds without end": ({ root }) => { root.training.epochs = Array(10_001).fill({}); },
  "a loss in words": ({ root }) => { root.training.epochs[0].loss = "low"; },
  "judged of no class": ({ root }) => { root.training.judged.pictures[0].label = "bird"; },
  "judged more than told": ({ root }) => { root.training.judged.pictures.push({ key: "k", label: "cat" }); },
  "another photo": ({ members }) => { members.set("photos/00001.jpg", photo("other")); },
  "NaN": ({ members }) => { members.set("features.npy", npyOf([Float32Array.of(1, NaN), Float32Array.of(1, 2)])); },
  "too few rows": ({ members }) => { members.set("features.npy", npyOf([Float32Array.of(1, 2)])); },
  "other numbers": ({ members }) => { members.set("features.npy", new Blob(["\x93NUMPY\x01\x00v\x00{'descr': '|O'"])); },
  "no probabilities": ({ members }) => { members.set("judged.npy", npyOf([Float32Array.of(2, -1)])); },
  "no features": ({ members }) => { members.delete("features.npy"); },
};

for (const [name, change] of Object.entries(WRONG)) {
  test(`refused: ${name}`, async () => refuse(await changed(change), "damaged", /no whole project file/));
}

test("matrices claim no more than they have", async () => {
  const rows = [Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6)];
  const file = npyOf(rows);
  assert.equal(file.size, 128 + 24);
  assert.deepEqual(await rowsIn(file, "a.npy", 2), rows);
  const text = await file.text();
  for (const shape of ["(3, 3)", "(999999999, 999999999)", "(2, 3L)", "(-2, -3)"]) {
    const lying = new Blob([Uint8Array.from([0x93]), text.slice(1).replace("(2, 3)", shape)]);
    await assert.rejects(rowsIn(lying, "a.npy", 2), refused("damaged", /a\.npy/));
  }
});
