// The training loop: short calls into Python, and between two of them a turn of the event loop, so that `stop` is heard.

/**
 * @param {Python} python @param {{trainCount: number, validationCount: number}} started what fitStart answered
 * @param {(progress: import("../shared/protocol.js").TrainProgress) => void} report @param {() => boolean} stopped
 */
async function train(python, { trainCount, validationCount }, report, stopped) {
  const counts = { trainCount, validationCount };
  for (let spent = 0; ;) {
    const begin = performance.now();
    const next = python.call("fitNext");
    spent += performance.now() - begin;
    if (next.done) return { ...next.history, ...counts };
    report({ ...next.progress, ...counts, ...timesOf(next.progress, spent) });
    await eventLoopTurn();
    if (stopped()) return { ...python.call("fitStop").history, ...counts };
  }
}

/** Times around Python alone, not around this loop; `step` and `steps` count over the whole run. */
function timesOf({ step, steps }, spentMs) {
  const stepMs = spentMs / step;
  return { stepMs, secondsLeft: ((steps - step) * stepMs) / 1000 };
}

/** Settles after the messages that already wait were handled; setTimeout would add 4 ms each. */
function eventLoopTurn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}
