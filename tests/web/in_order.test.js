import assert from "node:assert/strict";
import test from "node:test";
import { inOrder } from "../../web/module/in_order.js";

/** Work whose items end when the test says so. */
function work(width, stopped) {
  const ends = new Map();
  const log = [];
  const begin = (item) => {
    log.push(`begin ${item}`);
    return new Promise((resolve, reject) => ends.set(item, { resolve, reject }));
  };
  const end = async (item, begun) => log.push(`end ${item} ${await begun.catch((error) => error.message)}`);
  return { log, ends, options: { width, begin, end, stopped } };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("no more than `width` are under way, and they end in their order however they come", async () => {
  const { log, ends, options } = work(2);
  const all = inOrder(["a", "b", "c"], options);
  assert.deepEqual(log, ["begin a", "begin b"]);
  ends.get("b").resolve(2);
  await turn();
  assert.equal(log.length, 2);
  ends.get("a").resolve(1);
  await turn();
  assert.deepEqual(log.slice(2), ["end a 1", "begin c", "end b 2"]);
  ends.get("c").resolve(3);
  assert.equal(await all, false);
  assert.equal(log.at(-1), "end c 3");
});

test("an item that fails is told when its turn comes, and the others go on", async () => {
  const { log, ends, options } = work(3);
  const all = inOrder(["a", "b"], options);
  ends.get("b").reject(new Error("broken"));
  await turn();
  ends.get("a").resolve("fine");
  await all;
  assert.deepEqual(log.slice(2), ["end a fine", "end b broken"]);
});

test("an end that fails ends it all", async () => {
  const { ends, options } = work(1);
  const all = inOrder(["a", "b"], { ...options, end: () => Promise.reject(new Error("no class")) });
  ends.get("a").resolve(1);
  await assert.rejects(all, /no class/);
  assert.equal(ends.has("b"), false);
});

test("what was begun before it was stopped is forgotten", async () => {
  let stopped = false;
  const { log, ends, options } = work(2, () => stopped);
  const all = inOrder(["a", "b", "c"], options);
  ends.get("a").resolve(1);
  ends.get("b").resolve(2);
  stopped = true;
  assert.equal(await all, true);
  assert.deepEqual(log, ["begin a", "begin b", "end a 1"]);
});

test("nothing to do is done at once", async () => {
  assert.equal(await inOrder([], work(1).options), false);
});
