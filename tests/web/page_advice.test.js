// web/page: which hints a person gets before training, in which order, and when there is a reason not to train at all.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

// The live region makes its element when it is loaded; here nobody hears it.
globalThis.document = /** @type {any} */ ({ createElement: () => ({ getAttribute: () => null, setAttribute() {}, append() {} }) });
const { speak } = await import("../../web/page/texts/texts.js");
const { advice, arrange } = await import("../../web/page/advice.js");
const { state } = await import("../../web/page/state.js");
const { gainOf } = await import("../../web/page/measured.js");
const { swallowed, twins } = await import("../../web/page/twins.js");

await speak("en");

let ids;

/** Classes by name, each a list of pictures by key; `null`: Unsorted. */
function collect(classes) {
  ids = {};
  let id = 0;
  state.classes = Object.keys(classes).filter((name) => name !== "null").map((name, index) => ({ id: index + 1, name, fresh: false }));
  state.pictures = new Map();
  for (const [name, keys] of Object.entries(classes)) {
    for (const key of keys) {
      id += 1;
      ids[`${name} ${key}`] = id;
      state.pictures.set(id, /** @type {any} */ ({ id, key, name: `${key}.jpg`, classId: state.classes.find((one) => one.name === name)?.id ?? null, file: { size: id } }));
    }
  }
}

const keys = (n, from = 0) => Array.from({ length: n }, (_, index) => `k${from + index}`);
const found = (...groups) => { state.check.groups = groups.map((group) => group.map((name) => ids[name])); };
const titles = () => advice().map(({ title }) => title.replaceAll("\u00a0", " "));

/** As after a training on what is there now. */
const trained = (result) => Object.assign(state.training, { result: { right: 9, all: 10, learnt: new Set(state.classes.map(({ id }) => id)), ...result }, edition: state.edition });

beforeEach(() => {
  Object.assign(state.training, { settings: {}, result: null, edition: -1 });
  Object.assign(state.check, { groups: [], done: new Map(), left: new Set() });
});

test("nothing is said about enough pictures of even classes, nor about a single class", () => {
  collect({ glass: keys(10), metal: keys(12, 100) });
  assert.deepEqual(advice(), []);
  collect({ glass: keys(2), metal: [] });
  assert.deepEqual(advice(), []);
});

test("small classes are one hint that says how many more would help, and what that brings", () => {
  const gain = gainOf(10);
  const measured = `Measured on three tasks: of 100 new photos, ${gain.before} were right with 5 of each class, ${gain.after} with 10.`;
  collect({ glass: keys(3), metal: keys(7, 100), paper: keys(8, 200) });
  const [few] = advice();
  assert.match(few.title, /^glass has 3.pictures and metal has 7.pictures\.$/);
  assert.equal(few.text, `More would help: glass 7, metal 3. ${measured}`);
  collect({ glass: keys(1), metal: keys(3, 100) });
  assert.equal(advice()[0].text, `More would help: glass 9, metal 7. ${measured} With a single one it cannot test itself.`);
  collect({ glass: keys(9), metal: keys(6, 100) });
  assert.match(advice()[0].text, /^Four more would help/);
});

test("classes of ten are told what twenty bring, once a training got some wrong, and not while it is stale or of twenty", () => {
  collect({ glass: keys(12), metal: keys(15, 100), paper: keys(16, 200) });
  assert.deepEqual(titles(), []);
  trained({ right: 10 });
  assert.deepEqual(titles(), []);
  trained({ right: 9 });
  assert.deepEqual(titles(), ["More pictures would help it."]);
  assert.match(advice()[0].text, new RegExp(`^More would help: glass 8, metal 5\\. .* right with 10 of each class, ${gainOf(20).after} with 20\\.$`));
  state.training.edition -= 1;
  assert.deepEqual(titles(), []);
  collect({ glass: keys(4), metal: keys(12, 100) });
  trained({ right: 9 });
  assert.match(advice()[0].text, /^Six more would help/);
});

test("a class with four times as many pictures as another is uneven, and weights answer it in place", () => {
  collect({ glass: keys(10), metal: keys(39, 100) });
  assert.deepEqual(titles(), []);
  collect({ glass: keys(10), metal: keys(40, 100) });
  assert.deepEqual(titles(), ["glass has 10 pictures, metal has 40."]);
  state.training.settings.classWeights = "balanced";
  assert.deepEqual(advice().map(({ isOpen }) => isOpen), [false]);
  assert.match(advice()[0].done.text, /glass counts more/);
});

test("what is in two classes comes first, twins within a class come last", () => {
  collect({ glass: ["a", ...keys(2)], metal: ["a", "b", "c", ...keys(20, 100)] });
  found(["metal b", "metal c"], ["glass a", "metal a"]);
  assert.deepEqual(titles(), ["The same picture is in two classes.", "glass has 3 pictures, metal has 23.", "glass has 3 pictures.", "Two pictures of metal are nearly the same."]);
});

test("pictures of one burst are meant to be nearly the same; with a picture from elsewhere they are twins", () => {
  collect({ glass: keys(12), metal: ["a", "b", "c", ...keys(10, 100)] });
  const burst = { isBurst: true };
  for (const name of ["metal a", "metal b"]) state.pictures.get(ids[name]).intake = /** @type {any} */ (burst);
  found(["metal a", "metal b"]);
  assert.deepEqual(titles(), []);
  found(["metal a", "metal b", "metal c"]);
  assert.deepEqual(titles(), ["2 pictures are nearly the same as others."]);
});

test("answers fit the group: each of its classes, or one of the twins", () => {
  collect({ glass: ["a", ...keys(9)], metal: ["a", "b", "c", ...keys(9, 100)] });
  found(["glass a", "metal a"], ["metal b", "metal c"]);
  const labels = advice().map(({ groups: [group] }) => group.answers.map(({ label }) => label));
  assert.deepEqual(labels, [["It is glass", "It is metal", "Take both out", "Leave both"], ["Keep one", "Leave both"]]);
  assert.deepEqual(advice().map(({ answers }) => answers), [[], []]);
});

test("spare pictures are counted over all groups, which are answered together or one by one", () => {
  collect({ glass: ["a", "b", "c", ...keys(9)], metal: ["d", "e", ...keys(9, 100)] });
  found(["glass a", "glass b", "glass c"], ["metal d", "metal e"]);
  const [hint] = advice();
  assert.equal(hint.title, "3\u00a0pictures are nearly the same as others.");
  assert.deepEqual(hint.answers.map(({ label }) => label), ["Keep one of each", "Leave them"]);
  assert.deepEqual(hint.groups.map(({ pictures }) => pictures.length), [3, 2]);
});

test("a group is what is left of it: moved to Unsorted or taken out, a picture is no twin any more", () => {
  collect({ glass: ["a", "b", "c", ...keys(9)], metal: keys(9, 100) });
  found(["glass a", "glass b", "glass c"]);
  state.pictures.delete(ids["glass a"]);
  assert.deepEqual(twins().map((group) => group.map(({ key }) => key)), [["b", "c"]]);
  state.pictures.get(ids["glass b"]).classId = null;
  assert.deepEqual(twins(), []);
});

test("what was left is not asked again, unless the group is another one", () => {
  collect({ glass: ["a", "b", "c", ...keys(9)], metal: keys(9, 100) });
  found(["glass a", "glass b"]);
  state.check.left.add(advice()[0].groups[0].key);
  assert.deepEqual(advice(), []);
  found(["glass a", "glass b", "glass c"]);
  assert.equal(advice().length, 1);
});

test("three open hints are shown at most, the weightiest; those that were answered stay", () => {
  const hints = ["a", "b", "c", "d"].map((key) => /** @type {any} */ ({ key, isOpen: true }));
  const free = { held: false, reading: false };
  const shown = (...given) => arrange(...given).map(({ key }) => key).join("");
  assert.equal(shown([], hints, free), "abc");
  hints[1].isOpen = false;
  assert.equal(shown(["a", "b", "c"], hints, free), "abcd");
});

test("while a person points at hints they keep their places, and new ones follow; while pictures are read none come", () => {
  const hints = ["a", "b", "c"].map((key) => /** @type {any} */ ({ key, isOpen: true }));
  const shown = (before, how) => arrange(before, hints, { held: false, reading: false, ...how }).map(({ key }) => key).join("");
  assert.equal(shown(["c", "b"], { held: true }), "cba");
  assert.equal(shown(["c", "b"], {}), "abc");
  assert.equal(shown(["b"], { reading: true }), "b");
  assert.equal(shown([], { reading: true }), "");
});

test("a class that lies wholly in another cannot be learnt", () => {
  collect({ glass: ["a", "b"], metal: ["a", "b", "c"] });
  assert.deepEqual([swallowed().one.name, swallowed().other.name], ["glass", "metal"]);
  collect({ glass: ["a", "d"], metal: ["a", "b"], paper: ["d", "b"] });
  assert.equal(swallowed(), null);
  collect({ glass: [], metal: ["a"], paper: ["b"], null: ["a", "b"] });
  assert.equal(swallowed(), null);
});
