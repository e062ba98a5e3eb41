import { PagetrainError } from "../../shared/errors.js";

/** The error for a file that cannot be what was saved. @param {string} what @param {string} [code] */
export function damaged(what, code = "damaged") {
  return new PagetrainError("FormatError", `This is no whole project file: ${what}. Save the project again, or take another copy.`, { code });
}

/** `value`, if the test holds. @template T @param {T} value @param {boolean} holds @param {string} where @returns {T} */
export function checked(value, holds, where) {
  if (!holds) throw damaged(`${where} is ${String(JSON.stringify(value)).slice(0, 60)}`);
  return value;
}

export function textOf(value, where, pattern = /^[^]{0,1000}$/u) {
  return checked(value, typeof value === "string" && pattern.test(value), where);
}

export function listOf(value, where, most = Infinity) {
  return checked(value, Array.isArray(value) && value.length <= most, where);
}

/** @param {any} value @param {string} where @returns {Record<string, any>} */
export function objectOf(value, where) {
  return checked(value, typeof value === "object" && value !== null && !Array.isArray(value), where);
}

export function flagOf(value = false, where = "") {
  return checked(value, typeof value === "boolean", where);
}

/** A whole number from 0 to below `end`. */
export function countOf(value, where, end = 2 ** 53) {
  return checked(value, Number.isSafeInteger(value) && value >= 0 && value < end, where);
}
