import assert from "node:assert/strict";
import test from "node:test";
import { LivingWorker } from "../../web/module/living_worker.js";
import { Records } from "../../web/module/records.js";

/** Workers that say nothing until they are told to; `workers`: those that were made. */
function pageWith(t, Fake) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const before = globalThis.Worker;
  globalThis.Worker = Fake;
  t.after(() => { globalThis.Worker = before; });
  const states = [];
  const records = new Records();
  const worker = new LivingWorker({ workerText: new Blob([]), manifest: "first" }, "auto", records, { onState: (state) => states.push(state), onRestart() {} });
  return { worker, states, records };
}

function silentWorkers() {
  const workers = [];
  return [workers, class {
    asked = [];
    terminated = false;
    constructor() { workers.push(this); }
    postMessage(message) { this.asked.push(message); }
    terminate() { this.terminated = true; }
  }];
}

const isDisposed = ({ kind, message }) => kind === "StateError" && /disposed/.test(message);

test("disposed while its worker starts, it ends that worker at once and the start rejects", async (t) => {
  const [workers, Fake] = silentWorkers();
  const { worker, states } = pageWith(t, Fake);
  const starting = worker.connect();
  worker.dispose();
  assert.equal(workers[0].terminated, true);
  await assert.rejects(starting, isDisposed);
  await assert.rejects(worker.connect(), isDisposed);
  assert.deepEqual([workers.length, states], [1, ["disposed"]]);
});

test("disposed between the worker's answer and the work that it is given back, the start rejects too", async (t) => {
  const [workers, Fake] = silentWorkers();
  const { worker, states } = pageWith(t, Fake);
  const starting = worker.connect();
  workers[0].onmessage({ data: { id: workers[0].asked[0].id, type: "result", value: {} } });
  worker.dispose();
  await assert.rejects(starting, isDisposed);
  assert.deepEqual([workers[0].terminated, states], [true, ["disposed"]]);
});

test("disposed when it is ready, it ends the worker and calls in flight reject", async (t) => {
  const [workers, Fake] = silentWorkers();
  const { worker } = pageWith(t, Fake);
  const starting = worker.connect();
  workers[0].onmessage({ data: { id: workers[0].asked[0].id, type: "result", value: {} } });
  const link = await starting;
  const call = link.call("train");
  worker.dispose();
  assert.equal(workers[0].terminated, true);
  await assert.rejects(call, isDisposed);
});

/** What a start says whose worker does this. */
async function startError(t, event) {
  const [workers, Fake] = silentWorkers();
  const { worker } = pageWith(t, Fake);
  const starting = worker.connect();
  event(workers[0]);
  return starting.then(() => assert.fail("started"), (error) => error);
}

const answer = (error) => (worker) => worker.onmessage({ data: { id: worker.asked[0].id, type: "error", error } });
const refusals = {
  "a worker that was not allowed to start": (worker) => worker.onerror({}),
  "WebAssembly that was not allowed to be compiled": answer({ kind: "CompileError", message: "blocked by CSP" }),
};
const failures = {
  "a damaged file": answer({ kind: "FormatError", code: "damaged", message: "x is damaged" }),
  "too little memory": answer({ kind: "RangeError", message: "could not allocate memory" }),
  "an error in the script": (worker) => worker.onerror({ message: "ReferenceError: y is not defined" }),
  "a death in its own words": (worker) => worker.onmessage({ data: { type: "dead", reason: "out of bounds" } }),
};

for (const [name, event] of Object.entries({ ...refusals, ...failures })) {
  test(`the start's error says what to do: ${name}`, async (t) => {
    const { kind, code, message } = await startError(t, event);
    assert.deepEqual([kind, code], ["load", "start"]);
    assert.match(message, /Reload the page/);
    assert.equal(/policy/.test(message), name in refusals);
    assert.equal(/copy may be incomplete/.test(message), name in failures);
  });
}

/** Workers that answer "open" as `onOpen` says and everything else at once; `asked`: [worker, type, what it was given of a model]. */
function answeringWorkers(onOpen) {
  const asked = [];
  let made = 0;
  return [asked, class {
    number = (made += 1);
    terminate() {}
    postMessage(message) {
      asked.push([this.number, message.type, message.manifest]);
      const reply = message.type === "open" ? onOpen(this.number) : { type: "result", value: { featureBytes: this.number } };
      queueMicrotask(() => this.onmessage({ data: { id: message.id, ...reply } }));
    }
  }];
}

async function reopened(t, onOpen) {
  const [asked, Fake] = answeringWorkers(onOpen);
  const { worker, records } = pageWith(t, Fake);
  records.setClasses({ labels: ["a"], head: null });
  await worker.connect();
  const outcome = await worker.reopen(/** @type {any} */ ({ workerText: new Blob([]), manifest: "second" })).then(() => "done", ({ message }) => message);
  return { asked: asked.map((one) => one.join(" ").trim()), outcome, worker };
}

test("reopened, the same worker gets the other files and then the work", async (t) => {
  const { asked, outcome, worker } = await reopened(t, () => ({ type: "result", value: { featureBytes: 7 } }));
  assert.deepEqual(asked.slice(2), ["1 open second", "1 restore"]);
  assert.deepEqual([outcome, worker.opened?.featureBytes], ["done", 7]);
});

test("files that cannot be opened leave the worker and the next one with those before", async (t) => {
  const { asked, outcome, worker } = await reopened(t, () => ({ type: "error", error: { kind: "FormatError", message: "no graph" } }));
  assert.equal(outcome, "no graph");
  const link = await worker.connect();
  link.port.onerror({ message: "struck" });
  await worker.connect();
  assert.equal(asked.includes("2 start second"), false);
});

test("a worker that dies while it opens them is replaced by one that starts with them", async (t) => {
  const { asked, outcome } = await reopened(t, () => ({ type: "dead", reason: "out of memory" }));
  assert.equal(outcome, "done");
  assert.deepEqual(asked.slice(2), ["1 open second", "2 start second", "2 restore"]);
});
