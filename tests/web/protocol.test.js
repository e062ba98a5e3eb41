import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ANSWERS, EMBEDDER_REQUESTS, REQUESTS } from "../../web/shared/protocol.js";
import { workerScope } from "./worker_scope.js";

const page = ["pagetrain.js", "module/features.js", "module/augmenting.js", "module/worker_start.js", "module/living_worker.js", "module/layers.js", "module/exported.js"].map((name) => readFileSync(new URL(`../../web/${name}`, import.meta.url), "utf-8")).join("\n");

test("the worker has one handler for each request and no other", () => {
  const { Handlers } = workerScope(["handlers.js"], ["Handlers"]);
  const handled = Object.getOwnPropertyNames(Handlers.prototype).filter((name) => name !== "constructor");
  assert.deepEqual(handled.sort(), [...REQUESTS].sort());
});

test("the page sends every request of the protocol and no other", () => {
  const sent = [...page.matchAll(/(?:#call|worker\.call|link\.call)\("(\w+)"/g)].map(([, type]) => type);
  assert.deepEqual([...new Set(sent)].sort(), [...REQUESTS].sort());
});

test("an embedding worker has one handler for each of its requests and no other, and the page sends them", () => {
  const { Handlers } = workerScope(["handlers.js"], ["Handlers"], "embedder");
  const handled = Object.getOwnPropertyNames(Handlers.prototype).filter((name) => name !== "constructor");
  assert.deepEqual(handled.sort(), [...EMBEDDER_REQUESTS].sort());
  const sender = readFileSync(new URL("../../web/module/embedders.js", import.meta.url), "utf-8");
  const sent = [...sender.matchAll(/link\.call\("(\w+)"/g)].map(([, type]) => type);
  assert.deepEqual([...new Set(sent)].sort(), [...EMBEDDER_REQUESTS].sort());
});

test("the worker posts every kind of answer and no other", () => {
  const text = ["serve.js", "main.js"].map((name) => readFileSync(new URL(`../../web/worker/${name}`, import.meta.url), "utf-8")).join("\n");
  const posted = [...text.matchAll(/postMessage\(\{ (?:id, )?type: "(\w+)"/g)].map(([, type]) => type);
  assert.deepEqual([...new Set(posted)].sort(), [...ANSWERS].sort());
});

test("the largest file that is read is the same for the worker and for Python", () => {
  const { MAX_FILE_BYTES } = workerScope(["picture.js"], ["MAX_FILE_BYTES"]);
  const python = readFileSync(new URL("../../pyodide_pkg/pagetrain/picture.py", import.meta.url), "utf-8");
  const factors = /^MAX_BYTES = ([\d* ]+)$/m.exec(python)[1].split("*").map(Number);
  assert.equal(MAX_FILE_BYTES, factors.reduce((product, factor) => product * factor));
});
