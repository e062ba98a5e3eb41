// The worker's end of protocol.js: requests one after another, `stop` at once, and a last word when this worker can no longer be used.

/**
 * @param {{postMessage: Function, onmessage: any}} port
 * @param {Record<string, any>} handlers by request type
 * @param {(error: unknown) => boolean} isFatal
 */
function serve(port, handlers, isFatal) {
  const stops = new Set();
  let last = Promise.resolve();
  port.onmessage = ({ data: message }) => {
    if (message.type === "stop") stops.add(message.id);
    else last = last.then(() => answer(port, handlers, isFatal, message, stops));
  };
}

async function answer(port, handlers, isFatal, { id, type, ...fields }, stops) {
  const report = (progress) => port.postMessage({ id, type: "progress", progress });
  try {
    if (!(type in handlers)) throw new Error(`The worker knows no request ${JSON.stringify(type)}`);
    const { value, transfer = [] } = await handlers[type](fields, { report, stopped: () => stops.has(id) });
    port.postMessage({ id, type: "result", value }, transfer);
  } catch (error) {
    if (isFatal(error)) port.postMessage({ type: "dead", reason: error.message });
    else port.postMessage({ id, type: "error", error: fieldsOf(error) });
  } finally {
    stops.delete(id);
  }
}

function fieldsOf(error) {
  return error.fields ?? { kind: error.name ?? "Error", code: "internal", message: String(error.message ?? error), traceback: error.stack };
}
