import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test, { beforeEach } from "node:test";
import { artifactFiles, forgetLists, runtimeFiles } from "../../web/module/file_lists.js";
import { fetchAll, hold, release } from "../../web/module/file_store.js";

const FOLDER = new URL("https://site.invalid/deep/runtime/");
const contents = { a: "first file", b: "second file, longer", c: "third" };

/** Stands for a server that takes the request and says nothing. */
const SILENCE = Symbol("silence");

/** Answers per path: a list is used up one by one, its last stays. */
let served;
let asked;

globalThis.fetch = async (url, { cache, signal } = {}) => {
  const path = new URL(url).pathname.slice("/deep/runtime/".length);
  asked.push(cache === "reload" ? `${path} (reload)` : path);
  const answers = served[path] ?? [{ status: 404 }];
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  if (answer instanceof Error) throw answer;
  if (answer === SILENCE) return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  return typeof answer === "string" ? new Response(answer) : new Response("", answer);
};

const wanted = (name, stage = "python") => ({
  name, stage, url: FOLDER.href + name, bytes: contents[name].length, sha256: createHash("sha256").update(contents[name]).digest("hex"),
});

beforeEach(() => {
  asked = [];
  served = Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, [text]]));
  forgetLists();
  hold();
  release();
});

test("all files arrive by name, and progress adds up by stage", async () => {
  const seen = [];
  const files = await fetchAll([wanted("a"), wanted("b"), wanted("c", "packages")], (progress) => seen.push(progress));
  assert.equal(await files.b.text(), contents.b);
  const last = (stage) => seen.filter((one) => one.stage === stage).at(-1);
  assert.deepEqual([last("python").loaded, last("python").total], [29, 29]);
  assert.deepEqual(last("packages"), { stage: "packages", name: "c", loaded: 5, total: 5, bytes: 5 });
});

test("a file that is missing is named with status, cause and action; a second try asks for it alone", async () => {
  served.b = [{ status: 404 }, contents.b];
  await assert.rejects(fetchAll([wanted("a"), wanted("b"), wanted("c")], () => {}), (error) => {
    assert.equal(error.kind, "load");
    assert.equal(error.code, "http");
    assert.deepEqual([error.detail.file, error.detail.status], [`${FOLDER.href}b`, 404]);
    assert.match(error.message, /^b could not be loaded: the server answered 404\. /);
    return true;
  });
  asked = [];
  await fetchAll([wanted("a"), wanted("b"), wanted("c")], () => {});
  assert.deepEqual(asked, ["b"]);
});

test("a damaged file is asked for once more past the cache, then named", async () => {
  served.a = ["first f1le", contents.a];
  await fetchAll([wanted("a")], () => {});
  assert.deepEqual(asked, ["a", "a (reload)"]);
  served.b = ["second file, l0nger"];
  await assert.rejects(fetchAll([wanted("b")], () => {}), { kind: "load", code: "hash" });
});

for (const [what, text] of [["shorter", "thi"], ["longer", "third and more"]]) {
  test(`a file that is ${what} than listed is damaged`, async () => {
    served.c = [text];
    await assert.rejects(fetchAll([wanted("c")], () => {}), { kind: "load", code: "hash" });
  });
}

test("a lost connection is tried again by itself, three times in all", async () => {
  served.a = [new TypeError("network"), contents.a];
  await fetchAll([wanted("a")], () => {});
  assert.deepEqual(asked, ["a", "a"]);
  asked = [];
  served.b = [new TypeError("network")];
  await assert.rejects(fetchAll([wanted("b")], () => {}), { kind: "load", code: "network" });
  assert.equal(asked.length, 3);
});

test("a server that falls silent is named after half a minute", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  served.a = [SILENCE];
  const failed = assert.rejects(fetchAll([wanted("a")], () => {}), { kind: "load", code: "network", message: /nothing came for 30 s/ });
  await new Promise(setImmediate); // until the request is under way
  t.mock.timers.tick(30_000);
  await failed;
  assert.deepEqual(asked, ["a"]);
});

test("two loads at once share one transfer", async () => {
  const [one, two] = await Promise.all([fetchAll([wanted("a")], () => {}), fetchAll([wanted("a")], () => {})]);
  assert.equal(one.a, two.a);
  assert.deepEqual(asked, ["a"]);
});

test("files are let go when the last holder releases them", async () => {
  hold();
  hold();
  await fetchAll([wanted("a")], () => {});
  release();
  await fetchAll([wanted("a")], () => {});
  assert.equal(asked.length, 1);
  release();
  await fetchAll([wanted("a")], () => {});
  assert.equal(asked.length, 2);
});

test("the runtime's list gives urls below its folder and says which files are compiled", async () => {
  const entry = { name: "wasm", path: "pyodide.asm.wasm", bytes: 3, sha256: "00", stage: "python" };
  served["files.json"] = [JSON.stringify({ format: "pagetrain-runtime", version: 1, files: [entry] })];
  assert.deepEqual(await runtimeFiles(FOLDER), [{ ...entry, url: `${FOLDER.href}pyodide.asm.wasm`, wasm: true }]);
});

for (const path of ["../secret", "https://elsewhere.invalid/x", "/x", "x?y=1", "x#y"]) {
  test(`a listed path ${path} is refused`, async () => {
    served["files.json"] = [JSON.stringify({ format: "pagetrain-runtime", version: 1, files: [{ name: "x", path }] })];
    await assert.rejects(runtimeFiles(FOLDER), { kind: "load", code: "list" });
  });
}

for (const [what, text] of [
  ["no JSON", "<!doctype html>"], ["another format", '{"format": "x"}'], ["a later version", '{"format": "pagetrain-artifacts", "version": 2}'],
  ["a missing file", '{"format": "pagetrain-artifacts", "version": 1, "files": {}}'],
]) {
  test(`a manifest with ${what} is refused`, async () => {
    served["manifest.json"] = [text];
    await assert.rejects(artifactFiles(FOLDER), { kind: "load", code: "list" });
  });
}

test("a list is asked for once, and anew after it was forgotten", async () => {
  served["files.json"] = ['{"format": "pagetrain-runtime", "version": 1, "files": []}'];
  await runtimeFiles(FOLDER);
  await runtimeFiles(FOLDER);
  assert.equal(asked.length, 1);
  forgetLists();
  await runtimeFiles(FOLDER);
  assert.equal(asked.length, 2);
});
