// web/page: what a drop holds, which folder is a picture's class, and what size a picture claims before it is decoded.

import assert from "node:assert/strict";
import { test } from "node:test";

import { filesOfDrop } from "../../web/page/drops.js";
import { classFolders } from "../../web/page/folders.js";
import { kindOf } from "../../web/page/kinds.js";
import { claimedSize } from "../../web/page/picture_header.js";
import { placeOf } from "../../web/page/zips.js";

const paths = (...lines) => lines.map((line) => line.split("/").slice(0, -1));

// Entries of a drop as browsers hand them over; null stands for what the system does not open.
const fileEntry = (name, content) => ({ name, isFile: true, isDirectory: false, file: (got, failed) => (content === null ? failed(new Error("gone")) : got(new File([content], name))) });
const folderEntry = (name, inner) => {
  const lists = [inner, []];
  const readEntries = (got, failed) => (inner === null ? failed(new Error("forbidden")) : got(lists.shift()));
  return { name, isFile: false, isDirectory: true, createReader: () => ({ readEntries }) };
};

test("what cannot be opened is named, and the rest of the drop arrives", async () => {
  const stick = folderEntry("stick", [folderEntry("System Volume Information", null), fileEntry("gone.jpg", null), fileEntry("1.jpg", "1"), fileEntry(".DS_Store", "")]);
  const { found, lost, leftOut } = await filesOfDrop({ items: [{ kind: "file", getAsFile: () => new File([], "stick"), webkitGetAsEntry: () => stick }] });
  assert.deepEqual(found.map(({ file, path }) => [file.name, path]), [["1.jpg", ["stick"]]]);
  assert.deepEqual(lost, [{ name: "System Volume Information", code: "closed-folder" }, { name: "gone.jpg", code: "unreadable" }]);
  assert.equal(leftOut, 1);
});

test("what comes in folders is in the order of the names, as people count, however the disk has it", async () => {
  const files = (...names) => names.map((name) => fileEntry(name, name));
  const set = folderEntry("set", [folderEntry("dog", files("1.jpg")), folderEntry("cat", files("metal-12.jpg", "metal-5.jpg", "metal-011.jpg")), ...files("top.jpg")]);
  const entries = [fileEntry("z.jpg", "z"), set, fileEntry("a.jpg", "a")];
  const items = entries.map((entry) => ({ kind: "file", getAsFile: () => new File([], entry.name), webkitGetAsEntry: () => entry }));
  const { found } = await filesOfDrop({ items });
  assert.deepEqual(found.map(({ file, path }) => [...path, file.name].join("/")),
    ["z.jpg", "a.jpg", "set/top.jpg", "set/cat/metal-5.jpg", "set/cat/metal-011.jpg", "set/cat/metal-12.jpg", "set/dog/1.jpg"]);
});

test("the innermost folder is the class where all lie equally deep", () => {
  assert.deepEqual(classFolders(paths("train/cat/1", "train/dog/2", "val/cat/3")), ["cat", "dog", "cat"]);
  assert.deepEqual(classFolders(paths("photos/1", "photos/2")), ["photos", "photos"]);
});

test("where depths differ it is the first folder below the common ones", () => {
  assert.deepEqual(classFolders(paths("garden/rose/red/1", "garden/tulip/2")), ["rose", "tulip"]);
  assert.deepEqual(classFolders(paths("cat/1", "dog/red/2")), ["cat", "dog"]);
  assert.deepEqual(classFolders(paths("photos/1", "photos/cat/2")), ["photos", "cat"]);
});

test("of several folders of different depths each is asked for itself", () => {
  assert.deepEqual(classFolders(paths("zip/garden/rose/red/1", "zip/garden/tulip/2", "good/3")), ["rose", "tulip", "good"]);
  assert.deepEqual(classFolders(paths("set/train/cat/1", "set/val/dog/2", "misc/3")), ["cat", "dog", "misc"]);
  assert.deepEqual(classFolders(paths("cat/1", "cat/small/2", "cat/large/3", "dog/4")), ["cat", "cat", "cat", "dog"]);
});

test("loose files have no class and do not change the others'", () => {
  assert.deepEqual(classFolders([[], ["a", "b"], []]), [null, "b", null]);
  assert.deepEqual(classFolders([]), []);
});

// Headers written by hand after the formats' specifications: PNG IHDR, GIF logical screen, BMP info header, JPEG SOF0 behind an APP0.
const HEADERS = {
  png: [[0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x75, 0x30, 0, 0, 0, 7], [30000, 7]],
  gif: [[0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x34, 0x12, 2, 0], [0x1234, 2]],
  bmp: [[0x42, 0x4d, ...Array(16).fill(0), 3, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff], [3, 5]],
  jpeg: [[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 9, 1, 0], [256, 9]],
};

for (const [format, [bytes, size]] of Object.entries(HEADERS)) {
  test(`the size in a ${format} header is found`, async () => {
    assert.deepEqual(await claimedSize(new Blob([new Uint8Array(bytes)])), size);
  });
}

test("other and short files claim no size", async () => {
  assert.equal(await claimedSize(new Blob([])), null);
  assert.equal(await claimedSize(new Blob(["hello, this is a text of some length"])), null);
  assert.equal(await claimedSize(new Blob([new Uint8Array(HEADERS.png[0].slice(0, 18))])), null);
});

test("what opens a file goes by its name, and by its type where the browser knows one", () => {
  const kinds = (...names) => names.map((name) => kindOf({ name, type: "" }));
  assert.deepEqual(kinds("a.JPG", "b.heic", "photo", ".hidden.png"), Array(4).fill("picture"));
  assert.deepEqual(kinds("a.zip", "b.ZIP", "c.tar.gz", "d.7z", "e.txt", "f.jpg.exe"), ["zip", "zip", "archive", "archive", "other", "other"]);
  assert.equal(kindOf({ name: "download", type: "application/x-zip-compressed" }), "zip");
  assert.equal(kindOf({ name: "a.bin", type: "image/png" }), "picture");
});

test("the name of an entry is words, never a way out of its zip", () => {
  const place = (name, folders = [], code = null) => ({ name, folders, code });
  assert.deepEqual(placeOf("rose/red/1.jpg"), place("1.jpg", ["rose", "red"]));
  assert.deepEqual(placeOf("rose\\1.jpg"), place("1.jpg", ["rose"]));
  assert.deepEqual(placeOf("./rose//1.jpg"), place("1.jpg", ["rose"]));
  assert.deepEqual(placeOf("rose/..jpg"), place("..jpg", ["rose"]));
  for (const name of ["../1.jpg", "rose/../../1.jpg", "..\\1.jpg", "/1.jpg", "C:\\1.jpg", "\\\\server\\1.jpg"]) assert.equal(placeOf(name).code, "leads-out", name);
});
