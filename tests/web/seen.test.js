import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { keyOf, seenAlready } from "../../web/module/seen.js";

const size = { width: 2, height: 1 };
const rgb = new Uint8Array([1, 2, 3, 4, 5, 6]);
const rgba = new Uint8ClampedArray([1, 2, 3, 255, 4, 5, 6, 255]);

test("pixels in the model's size are what it sees, without an alpha that hides nothing", () => {
  assert.deepEqual(seenAlready({ ...size, channels: 3, data: rgb }, size), rgb);
  assert.deepEqual(seenAlready({ ...size, channels: 4, data: rgba }, size), rgb);
});

test("files, other sizes and what is seen through are Python's", () => {
  assert.equal(seenAlready(new Blob(["x"]), size), null);
  assert.equal(seenAlready({ width: 1, height: 2, channels: 3, data: rgb }, size), null);
  assert.equal(seenAlready({ ...size, channels: 4, data: rgba.with(7, 254) }, size), null);
});

test("the caller's bytes are copied: he may go on drawing", () => {
  const mine = rgb.slice();
  const seen = seenAlready({ ...size, channels: 3, data: mine }, size);
  mine[0] = 99;
  assert.equal(seen[0], 1);
});

test("the key is the hash of size and bytes", async () => {
  const expected = createHash("sha256").update("pagetrain pixels 2 x 1 x 3\n").update(rgb).digest("hex");
  assert.equal(await keyOf(rgb, size), expected);
});
