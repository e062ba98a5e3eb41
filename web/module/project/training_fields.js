import { checked, countOf, flagOf, listOf, objectOf, textOf } from "./fields.js";

/**
 * What a training told, between the words of the page and those of the file, which are Python's.
 *
 * @typedef {Omit<import("../../shared/protocol.js").History, "epochs"> & {epochs: any[]}} ShortHistory   of each epoch only what charts show
 * @typedef {Partial<ShortHistory> & {labels?: string[], stale?: boolean, took?: number}} Training
 *   labels: of the classes that learnt, as they are called now; stale: classes or pictures have changed since; took: milliseconds
 */
const EPOCH = ["epoch", "epochs", "step", "steps", "loss", "accuracy", "validationLoss", "validationAccuracy", "trainCount", "validationCount", "fold", "folds", "best"];
const WHOLE = ["bestEpoch", "validationLoss", "validationAccuracy", "trainCount", "validationCount", "folds", "stopped", "took", "stale"];
const MOST_EPOCHS = 10_000;
const TRUTHS = ["best", "stopped", "stale"];

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** Options of a training: names of options change, what a person named stays. @param {Record<string, any>} options */
export function toSettings(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined).map(([name, value]) => [snake(name), value]));
}

/** @param {unknown} settings @returns {import("../../shared/protocol.js").TrainOptions} its values are Python's to judge */
export function fromSettings(settings) {
  return Object.fromEntries(Object.entries(objectOf(settings ?? {}, "settings")).map(([name, value]) => [camel(name), value]));
}

/** Without the probabilities, which are a file of their own. @param {Training} training */
export function toTraining(training) {
  const { epochs = [], labels = [], judged } = training;
  const told = judged && judged.pictures.length > 0 ? { labels: judged.labels, pictures: judged.pictures.map(({ key, label }) => ({ key, label })) } : null;
  return { ...written(training, WHOLE), labels, epochs: epochs.map((epoch) => written(epoch, EPOCH)), judged: told };
}

/** @param {any} value @param {Float32Array[]} [rows] the probabilities @returns {Training} */
export function fromTraining(value, rows) {
  const training = objectOf(value, "training");
  const epochs = listOf(training.epochs, "training.epochs", MOST_EPOCHS).map((epoch) => numbersOf(objectOf(epoch, "training.epochs"), EPOCH));
  const labels = listOf(training.labels, "training.labels").map((label) => textOf(label, "training.labels"));
  const judged = training.judged && rows ? { ...placesOf(training.judged), probabilities: joined(rows) } : undefined;
  return { ...numbersOf(training, WHOLE), labels, epochs, judged };
}

/** Labels and places of what was judged. @param {any} judged @returns {{labels: string[], pictures: {key: string, label: string}[]}} */
export function placesOf(judged) {
  const { labels, pictures } = objectOf(judged, "training.judged");
  const names = listOf(labels, "judged.labels").map((label) => textOf(label, "judged.labels"));
  const known = new Set(names);
  checked(labels, known.size === names.length, "judged.labels");
  const places = listOf(pictures, "judged.pictures").map((one) => {
    const { key, label } = objectOf(one, "judged.pictures");
    return { key: textOf(key, "judged.pictures.key"), label: checked(label, known.has(label), "judged.pictures.label") };
  });
  return { labels: names, pictures: places };
}

function written(holder, names) {
  return Object.fromEntries(names.filter((name) => holder[name] !== undefined).map((name) => [snake(name), holder[name]]));
}

function numbersOf(holder, names) {
  const given = names.filter((name) => holder[snake(name)] !== undefined);
  return Object.fromEntries(given.map((name) => [name, TRUTHS.includes(name) ? flagOf(holder[snake(name)], name) : numberOf(holder[snake(name)], name)]));
}

function numberOf(value, name) {
  if (/Accuracy$|Loss$/.test(name) && value === null) return null;
  if (/^(loss|accuracy|took)$|Accuracy$|Loss$/.test(name)) return checked(value, Number.isFinite(value) && value >= 0, `training.${name}`);
  return countOf(value, `training.${name}`);
}

function joined(rows) {
  const all = new Float32Array(rows.length * (rows[0]?.length ?? 0));
  rows.forEach((row, index) => all.set(row, index * row.length));
  return all;
}
