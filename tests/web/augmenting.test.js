import assert from "node:assert/strict";
import test from "node:test";
import { augmentAll } from "../../web/module/augmenting.js";
import { Records } from "../../web/module/records.js";
import { PagetrainError } from "../../web/shared/errors.js";

const features = new Float32Array([1]);
const WORK = { embedders: null, width: 3, onProgress() {}, stopped: () => false };

/** Three pictures, of which "c" has its row; Python as far as it is asked here. A picture stands for its own key. */
function studio() {
  const records = new Records();
  records.setClasses({ labels: ["x"], head: null });
  for (const key of ["a", "b", "c"]) records.add({ key, label: "x", features });
  const asked = [];
  const missing = new Set(["a", "b"]);
  const answers = {
    augmentation: () => ({ rows: 2, missing: [...missing] }),
    vary: ({ picture: key }) => {
      if (key === "broken") throw new PagetrainError("PictureError", "It is cut off.", { code: "damaged" });
      return { key, variants: missing.has(key) ? [{ variant: "mirrored", pixels: new Uint8Array([key.charCodeAt(0)]) }] : [] };
    },
    embed: ({ pixels }) => new Float32Array(pixels),
    putRow: ({ key }) => void missing.delete(key),
  };
  const worker = { call: async (type, fields) => (asked.push(type), answers[type](fields)) };
  return { worker: /** @type {any} */ (worker), records, asked, answers };
}

const item = (key, known = true) => ({ label: "x", name: `${key}.png`, picture: key, key: known ? key : undefined });

test("rows are made for pictures that lack them; those known to have them are not read", async () => {
  const { worker, records, asked } = studio();
  const seen = [];
  const report = await augmentAll(["a", "b", "c"].map((key) => item(key)), { mirror: true }, { ...WORK, worker, records, onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(report, { rows: 2, skipped: [], stopped: false });
  assert.deepEqual(records.rows.map(({ key, variant, features: row }) => [key, variant, row[0]]), [["a", "mirrored", 97], ["b", "mirrored", 98]]);
  assert.deepEqual(seen.map(({ done, total, name, rows }) => [done, total, name, rows]), [[1, 2, "a.png", 1], [2, 2, "b.png", 1]]);
  assert.equal(asked.filter((type) => type === "vary").length, 2);
});

test("pictures without a key are looked at, and given nothing that they have", async () => {
  const { worker, records } = studio();
  const { rows } = await augmentAll(["c", "b"].map((key) => item(key, false)), { mirror: true }, { ...WORK, worker, records });
  assert.deepEqual([rows, records.rows.length], [1, 1]);
});

test("a file that cannot be used any more is told with its reason, and the others go on", async () => {
  const { worker, records } = studio();
  const report = await augmentAll([item("broken", false), item("a")], { mirror: true }, { ...WORK, worker, records });
  assert.deepEqual(report, { rows: 1, skipped: [{ label: "x", name: "broken.png", reason: "It is cut off.", code: "damaged" }], stopped: false });
});

test("a stop between two pictures keeps what was made", async () => {
  const { worker, records } = studio();
  let done = 0;
  const work = { ...WORK, worker, records, onProgress: () => (done += 1), stopped: () => done === 1 };
  assert.deepEqual(await augmentAll([item("a"), item("b")], { mirror: true }, work), { rows: 1, skipped: [], stopped: true });
});

test("a worker that dies meanwhile is asked once more, another mistake ends it all", async () => {
  const { worker, records, answers } = studio();
  const { putRow } = answers;
  let deaths = 0;
  answers.putRow = (row) => {
    if (deaths++ === 0) throw new PagetrainError("worker", "It stopped.");
    return putRow(row);
  };
  assert.equal((await augmentAll([item("a")], { mirror: true }, { ...WORK, worker, records })).rows, 1);
  answers.embed = () => { throw new TypeError("a mistake"); };
  await assert.rejects(augmentAll([item("b")], { mirror: true }, { ...WORK, worker, records }), TypeError);
});

test("a picture with a way to open it is opened when its turn comes; one that does not open is told", async () => {
  const { worker, records } = studio();
  let open = 0, most = 0;
  const opening = (key) => ({ ...item(key), picture: async () => {
    most = Math.max(most, (open += 1));
    return new File([key], `${key}.png`);
  } });
  const { call } = worker;
  worker.call = async (type, fields) => (type === "vary" ? call(type, { ...fields, picture: await fields.picture.text() }) : call(type, fields));
  const gone = { ...item("b"), picture: async () => { throw new Error("it was moved"); } };
  const work = { ...WORK, width: 2, worker, records, onProgress: () => (open -= 1) };
  const report = await augmentAll([opening("a"), gone, opening("c"), opening("a"), opening("a")].map((one) => ({ ...one, key: undefined })), { mirror: true }, work);
  assert.deepEqual(report.skipped.map(({ name, code }) => [name, code]), [["b.png", "unreadable"]]);
  assert.match(report.skipped[0].reason, /it was moved/);
  assert.equal(report.rows >= 1, true);
  assert.ok(most <= 2, `${most} were open at once`);
});
