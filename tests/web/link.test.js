import assert from "node:assert/strict";
import test from "node:test";
import { PagetrainError } from "../../web/shared/errors.js";
import { WorkerLink } from "../../web/module/worker_link.js";
import { workerScope } from "./worker_scope.js";

const { serve } = workerScope(["serve.js"], ["serve"]);
class Fatal extends Error {}

/** A link to handlers at the other end of a MessageChannel, as page and worker have it. */
function connect(t, handlers, options) {
  const { port1, port2 } = new MessageChannel();
  serve(port2, handlers, (error) => error instanceof Fatal);
  const link = new WorkerLink(port1, options);
  t.after(() => {
    link.close(new PagetrainError("worker", "end of the test"));
    port1.close();
  });
  return link;
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("a call gives the handler its fields and gets value and progress back", async (t) => {
  const link = connect(t, {
    double({ of }, { report }) {
      report({ at: 1 });
      report({ at: 2 });
      return { value: of * 2 };
    },
  });
  const seen = [];
  assert.equal(await link.call("double", { of: 21 }, { onProgress: (progress) => seen.push(progress) }), 42);
  assert.deepEqual(seen, [{ at: 1 }, { at: 2 }]);
});

test("typed arrays are handed over, not copied", async (t) => {
  let kept;
  const link = connect(t, {
    make() {
      kept = new Float32Array([1, 2, 3]);
      return { value: kept, transfer: [kept.buffer] };
    },
  });
  assert.deepEqual(await link.call("make"), new Float32Array([1, 2, 3]));
  assert.equal(kept.length, 0);
});

test("requests are answered one after another, in order", async (t) => {
  const log = [];
  const link = connect(t, {
    async slow({ name }) {
      log.push(`begin ${name}`);
      await turn();
      log.push(`end ${name}`);
      return { value: name };
    },
  });
  assert.deepEqual(await Promise.all([link.call("slow", { name: "a" }), link.call("slow", { name: "b" })]), ["a", "b"]);
  assert.deepEqual(log, ["begin a", "end a", "begin b", "end b"]);
});

test("an error of Python crosses with kind, code, message and traceback, and the next call works", async (t) => {
  const fields = { kind: "PictureError", code: "damaged", message: "It is cut off.", traceback: "Traceback ..." };
  const link = connect(t, {
    fail() {
      throw Object.assign(new Error("x"), { fields });
    },
    fine: () => ({ value: 1 }),
  });
  await assert.rejects(link.call("fail"), (error) => {
    assert.ok(error instanceof PagetrainError);
    assert.deepEqual([error.kind, error.code, error.message, error.detail.traceback], Object.values(fields));
    return true;
  });
  assert.equal(await link.call("fine"), 1);
});

test("an unknown request is an error, not silence", async (t) => {
  await assert.rejects(connect(t, {}).call("dance"), /knows no request "dance"/);
});

test("an aborted signal is heard between two steps, and the call ends with its own answer", async (t) => {
  const link = connect(t, {
    async train(_, { report, stopped }) {
      let steps = 0;
      while (!stopped()) {
        report({ steps: ++steps });
        await turn();
      }
      return { value: { steps } };
    },
  });
  const stop = new AbortController();
  const history = await link.call("train", {}, { signal: stop.signal, onProgress: ({ steps }) => steps === 3 && stop.abort() });
  assert.ok(history.steps >= 3);
});

test("a stop names one request: the next of its kind runs on", async (t) => {
  const link = connect(t, {
    async train(_, { stopped }) {
      await turn();
      return { value: stopped() };
    },
  });
  const stop = new AbortController();
  const first = link.call("train", {}, { signal: stop.signal });
  const second = link.call("train");
  stop.abort();
  assert.deepEqual(await Promise.all([first, second]), [true, false]);
});

test("a dead Python rejects all calls in flight and later ones, and is told once", async (t) => {
  const deaths = [];
  const handlers = {
    die() {
      throw new Fatal("memory access out of bounds");
    },
    wait: () => new Promise(() => {}),
  };
  const link = connect(t, handlers, { onDeath: (error) => deaths.push(error) });
  const calls = [link.call("die"), link.call("wait")];
  for (const call of [...calls, calls[0].catch(() => link.call("wait"))]) {
    await assert.rejects(call, (error) => error.kind === "worker" && /memory access out of bounds/.test(error.message));
  }
  assert.equal(deaths.length, 1);
});

test("an uncaught error in the worker is a death", async () => {
  let terminated = false;
  const worker = { postMessage() {}, terminate: () => (terminated = true), onmessage: null, onerror: null };
  const link = new WorkerLink(worker);
  const call = link.call("predict");
  worker.onerror({ message: "Uncaught Error: boom" });
  await assert.rejects(call, /boom/);
  assert.ok(terminated);
});

test("silence while an answer is due is a death; a message ends the silence; without calls nothing is counted", async () => {
  const worker = { postMessage() {}, terminate() {}, onmessage: null };
  const deaths = [];
  const link = new WorkerLink(worker, { tickMs: 5, patienceTicks: 20, onDeath: () => deaths.push(performance.now()) });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const begin = performance.now();
  const call = link.call("train");
  setTimeout(() => worker.onmessage({ data: { id: 1, type: "progress", progress: {} } }), 60);
  await assert.rejects(call, /no sign of life/);
  assert.equal(deaths.length, 1);
  assert.ok(deaths[0] - begin >= 150, `died after ${deaths[0] - begin} ms`); // 60 ms until the message and 20 ticks of 5 ms, less the timer's rounding
});
