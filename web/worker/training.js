// The training loop: short calls into Python, and between two of them a turn of the event loop, so that `stop` is heard.

/**
 * @param {Python} python @param {import("../shared/protocol.js").TrainOptions} options
 * @param {(progress: import("../shared/protocol.js").TrainProgress) => void} report @param {() => boolean} stopped
 */
async function train(python, options, report, stopped) {
  const turn = eventLoopTurns();
  const { trainCount, validationCount } = python.call("fitStart", options);
  const counts = { trainCount, validationCount };
  for (let spent = 0; ;) {
    const begin = performance.now();
    const next = python.call("fitNext");
    spent += performance.now() - begin;
    if (next.done) return { ...next.history, ...counts, stopped: false };
    report({ ...next.progress, ...counts, ...timesOf(next.progress, spent) });
    await turn();
    if (stopped()) return { ...python.call("fitStop").history, ...counts, stopped: true };
  }
}

/** Times around Python alone, not around this loop; `step` and `steps` count over the whole run. */
function timesOf({ step, steps }, spentMs) {
  const stepMs = spentMs / Math.max(step, 1);
  return { stepMs, secondsLeft: Math.max(0, (steps - step) * stepMs) / 1000 };
}

/** A function whose promise settles after the messages that already wait were handled; setTimeout would add 4 ms each. */
function eventLoopTurns() {
  const { port1, port2 } = new MessageChannel();
  let next = /** @type {(value?: any) => void} */ (() => {});
  port1.onmessage = () => next();
  return () => new Promise((resolve) => {
    next = resolve;
    port2.postMessage(null);
  });
}
