/** Long work in slices, so that the page answers in between. */

const SLICE = 8;

/** Answers `breathe`: awaited after each piece of work, it gives the page a turn once the work has gone on for some milliseconds. */
export function slices() {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE) return;
    await turn();
    since = performance.now();
  };
}

/** Settles after what waits already was done; setTimeout would add 4 ms each. */
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}
