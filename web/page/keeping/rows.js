/** The page's state as records of the store: plain values, and pictures by their numbers. */

import { isStale, isTrained, state } from "../state.js";

/**
 * @typedef {{ base: { name: string, fingerprint: string }, layers: string }} Model  what features and what was learnt belong to
 * @typedef {{ id: string, name: string | null, classes: { id: number, name: string, fresh: boolean }[], model: Model | null, settings: any, layers: string | null, none: any, left: string[],
 *             seen: boolean, fileName: string, stale: boolean, weights: any, interrupted: boolean, openedAt: number, savedAt: number, onDisk: number | null, pictures: number, bytes: number,
 *             result: { right: number, all: number } | null, cover: number[] }} ProjectRow
 * @typedef {{ project: string, id: number, name: string, type: string, size: number, classId: number | null, key: string | null, confirmed: number | null, group: string | null }} PictureRow
 * @typedef {{ project: string, id: number, by: string, key: string, hash: string, features: Float32Array }} FeaturesRow
 * @typedef {{ project: string, head: Uint8Array, classes: number[], labels: string[], result: any, judgement: any, curves: any[] }} LearntRow  classes: of the head, in its order, and what they were called then
 */

/** Pictures that stand for a project. */
const COVER = 4;

/** What `by` says in a record of features. @param {Model} model */
export function byOf({ base, layers }) {
  return `${base.name} ${base.fingerprint} ${layers}`;
}

/** Whether there is anything to keep. */
export function isWorth() {
  return state.pictures.size > 0 || state.classes.some(({ fresh }) => !fresh);
}

/** @param {import("../state.js").Project} project @param {Model | null} model @returns {Omit<ProjectRow, "openedAt" | "savedAt" | "pictures" | "bytes">} */
export function projectRow({ id, name, onDisk = null }, model) {
  const { settings, layers, weights, result } = state.training;
  return {
    id, name, onDisk, model, layers, weights, settings: { ...settings }, none: { ...state.none }, left: [...state.check.left],
    classes: state.classes.map((one) => ({ id: one.id, name: one.name, fresh: one.fresh })),
    seen: state.look.seen, fileName: state.take.name, stale: isTrained() && isStale(), interrupted: state.keeping.interrupted || isBusy(),
    result: result && { right: result.right, all: result.all }, cover: coverOf(state.pictures.values()),
  };
}

/** Numbers of a few pictures: of each class the first one, and then others. @param {Iterable<import("../state.js").Picture>} pictures */
function coverOf(pictures) {
  const [firsts, others] = [new Map(), []];
  for (const { id, classId } of pictures) {
    if (firsts.has(classId)) others.push(id);
    else firsts.set(classId, id);
    if (firsts.size === COVER) break;
  }
  return [...firsts.values(), ...others].slice(0, COVER);
}

export function isBusy() {
  return state.training.phase === "running" || state.training.phase === "stopping";
}

/** @param {string} project @param {import("../state.js").Picture} picture @returns {PictureRow} */
export function pictureRow(project, { id, name, file, classId, key, confirmed, group }) {
  return { project, id, name, type: file.type, size: file.size, classId, key: key ?? null, confirmed: confirmed ?? null, group: group ?? null };
}

/** Whether the record says of a picture what the page does; only this of it changes. @param {{ classId: number, key: string | null, confirmed: number | null }} row @param {import("../state.js").Picture} picture */
export function isAsIn(row, { classId, key, confirmed }) {
  return row.classId === classId && row.key === (key ?? null) && row.confirmed === (confirmed ?? null);
}

/** @param {string} project @param {{ head: Uint8Array, classes: number[], labels: string[] }} learnt @returns {LearntRow} */
export function learntRow(project, { head, classes, labels }) {
  const { result, judgement, curves } = state.training;
  const verdicts = judgement?.verdicts.map(({ picture, ...verdict }) => ({ ...verdict, picture: picture?.id ?? null }));
  return { project, head, classes, labels, result, curves, judgement: judgement && { ...judgement, verdicts } };
}
