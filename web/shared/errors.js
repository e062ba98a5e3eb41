/**
 * What every method of Pagetrain rejects with (an aborted `load` alone rejects with the signal's own reason).
 *
 * kind: "load" (a file or the worker's start), "worker" (the worker died with the call in flight), or the name of the Python error:
 * "PictureError", "InvalidInputError", "StateError", "TrainingDivergedError", "FormatError", "UnsupportedOpError" ...
 * code: a short word for programs ("network", "http", "damaged"); detail: what is known beside the message, for example
 * {file, stage, status, cause, action} of a "load" and {traceback} of a Python error.
 */
export class PagetrainError extends Error {
  /** @param {string} kind @param {string} message @param {{code?: string, detail?: Record<string, any>}} [more] */
  constructor(kind, message, { code = "", detail = {} } = {}) {
    super(message);
    this.name = "PagetrainError";
    this.kind = kind;
    this.code = code;
    this.detail = detail;
  }

  /** The error that a worker's message describes. @param {import("./protocol.js").ErrorFields} fields */
  static from({ kind, code = "", message, traceback }) {
    return new PagetrainError(kind, message, { code, detail: traceback ? { traceback } : {} });
  }
}

/** An argument that cannot be meant. @param {string} message */
export function invalidInput(message) {
  return new PagetrainError("InvalidInputError", message);
}
