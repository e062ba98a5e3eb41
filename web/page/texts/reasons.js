/** Why a picture was refused, in a language's words. */

/**
 * @template {Record<string, string>} Reasons
 * @param {Reasons} reasons  by code
 * @param {(format: string) => string} unsupported  of a kind of picture that the browser cannot read
 * @returns {(answer: { code?: string, kind?: string, name?: string, reason?: string, message?: string }) => string}
 *   of the trainer's answer: by its code where there are words for it, else its own sentence
 */
export function reasonsIn(reasons, unsupported) {
  return ({ code, kind, name, reason, message = reason }) => {
    const format = code === "unsupported-format" && /([A-Z][A-Z0-9 ]+) pictures/.exec(message)?.[1];
    if (format) return unsupported(format);
    if (name === "NotReadableError" || name === "NotFoundError") return reasons.unreadable;
    return reasons[code || kind] ?? message;
  };
}
