import { invalidInput, PagetrainError } from "../../shared/errors.js";
import { placeOf } from "../records.js";
import { checked, countOf, damaged, flagOf, listOf, objectOf, textOf } from "./fields.js";
import { npyOf, rowsIn } from "./npy.js";
import { StoredZip, zipOf } from "./stored_zip.js";
import { fromSettings, fromTraining, placesOf, toSettings, toTraining } from "./training_fields.js";

/**
 * A project: all the work as one file, which Python opens, too (pagetrain/project.py). docs/project.md describes it.
 *
 * @typedef {import("../contents.js").Contents} Contents
 * @typedef {{key?: string, label: string | null, name?: string, confirmed?: boolean, file?: Blob | null}} GivenPicture
 *   label null: in no class yet, only with its file; file: to be put in
 * @typedef {{key: string, label: string | null, name: string, group: string, confirmed: boolean, file: File | null}} ProjectPicture
 * @typedef {{name: string, pictures: ProjectPicture[], settings: import("../../shared/protocol.js").TrainOptions,
 *   training: import("./training_fields.js").Training | null, noneBelowChosen: boolean}} Told   what a project says beside the contents
 * @typedef {{contents: Omit<Contents, "head">, checkpoint: Blob | null, told: Told}} Project
 */
const FORMAT = "pagetrain-project";
const VERSION = 1;
const NAMES = { description: "project.json", features: "features.npy", judged: "judged.npy", checkpoint: "checkpoint" };
const PHOTO = /^photos\/[0-9]{5}(\.[a-z0-9]{1,8})?$/;
const KEY = /^[0-9a-f]{64}$/;
const HASH = /^[0-9a-f]{16}$/;
const LONGEST_DESCRIPTION = 8 * 2 ** 20; // as much as Python reads of a JSON file
const LARGEST_CHECKPOINT = 2 ** 28; // no base model of a page has as many bytes

/**
 * @param {Contents} contents @param {Blob | null} checkpoint null where nothing was learnt
 * @param {{name?: string, pictures?: GivenPicture[], settings?: import("../../shared/protocol.js").TrainOptions,
 *   training?: import("./training_fields.js").Training | null, noneBelowChosen?: boolean}} told
 */
export async function projectFile(contents, checkpoint, { name = "", pictures = [], settings = {}, training = null, noneBelowChosen = false }) {
  const rows = new Map([...new Map(contents.pictures.map(({ key, features }) => [key, features]))].map(([key, features], row) => [key, { features, row }]));
  const { entries, photos } = await described(contents, pictures, rows);
  const { base, layers, labels, noneBelow } = contents;
  const description = {
    format: FORMAT,
    version: VERSION,
    generator: "pagetrain.js",
    name: shortened(name),
    base: { ...base, layers },
    labels,
    none_below: noneBelow,
    none_below_chosen: noneBelowChosen,
    settings: toSettings(settings),
    pictures: entries,
    training: training && toTraining(training),
  };
  const text = new Blob([JSON.stringify(description, null, 1)]);
  if (text.size > LONGEST_DESCRIPTION) throw invalidInput(`A project file cannot hold ${entries.length} pictures: leave some out.`);
  const judged = training?.judged;
  const members = /** @type {[string, Blob][]} */ ([
    [NAMES.description, text],
    ...(rows.size > 0 ? [[NAMES.features, npyOf([...rows.values()].map(({ features }) => features))]] : []),
    ...(description.training?.judged && judged ? [[NAMES.judged, npyOf(judged.pictures.map((_, index) => rowOf(judged, index)))]] : []),
    ...(checkpoint ? [[NAMES.checkpoint, checkpoint]] : []),
    ...photos,
  ]);
  return zipOf(members);
}

function rowOf({ labels, probabilities }, index) {
  return probabilities.subarray(index * labels.length, (index + 1) * labels.length);
}

/** The pictures as the file lists them, those that were handed over first, in their order; and each photo once. */
async function described(contents, pictures, rows) {
  const placed = new Map(contents.pictures.map((picture) => [placeOf(picture), picture]));
  const files = new Map();
  const photos = /** @type {[string, Blob][]} */ ([]);
  const fileOf = (key, name, file) => {
    if (file && !files.has(key)) {
      files.set(key, `photos/${String(files.size + 1).padStart(5, "0")}${/\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? ""}`);
      photos.push([files.get(key), file]);
    }
    return files.get(key) ?? null;
  };
  const entries = [];
  const listed = new Set();
  for (const { key: given, label, name: called, confirmed = false, file = null } of pictures) {
    const key = given ?? (file && (await keyOf(file)));
    const picture = label === null ? null : placed.get(placeOf({ key, label }));
    const place = placeOf({ key, label });
    if (!key || picture === undefined || (label === null && !file) || listed.has(place)) continue; // gone meanwhile, or nothing to go on with
    listed.add(place);
    const name = shortened(called ?? (file instanceof File ? file.name : ""));
    entries.push(entryOf(picture ?? { key, label, hash: "" }, { name, confirmed, file: fileOf(key, name, file), row: rows.get(picture?.key)?.row ?? null }));
  }
  for (const [place, picture] of placed) {
    if (!listed.has(place)) entries.push(entryOf(picture, { name: "", confirmed: false, file: fileOf(picture.key, "", null), row: rows.get(picture.key)?.row }));
  }
  return { entries, photos };
}

function entryOf({ key, label, hash, group = "" }, { name, confirmed, file, row }) {
  return { key, name, label, row, hash, group: shortened(group), confirmed, file };
}

function shortened(text) {
  return [...text.toWellFormed()].slice(0, 500).join("");
}

/** @returns {Promise<string | null>} null where the page is neither https nor localhost */
async function keyOf(file) {
  if (!globalThis.crypto?.subtle) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The project in a file, all of it checked that can be without Python; photos are slices of the file.
 *
 * @param {Blob} blob @param {{base: {name: string, fingerprint: string}}} here @returns {Promise<Project>}
 */
export async function readProject(blob, { base }) {
  const zip = await StoredZip.open(blob);
  const root = await descriptionIn(zip);
  const { labels, layers } = checkedRoot(root, base);
  const listed = listOf(root.pictures, "pictures").map((one, index) => checkedPicture(objectOf(one, "pictures"), `pictures[${index}]`, labels));
  const rows = await featuresIn(zip, listed);
  const training = root.training ? await trainingIn(zip, root.training) : null;
  const pictures = listed.filter(({ label }) => label !== null).map(({ key, label, hash, group, row }) => ({ key, label, hash, group: group || undefined, features: rows[row] }));
  const told = { name: textOf(root.name, "name"), pictures: await withFiles(zip, listed), settings: fromSettings(root.settings), training, noneBelowChosen: flagOf(root.none_below_chosen, "none_below_chosen") };
  const checkpoint = zip.has(NAMES.checkpoint) ? await zip.read(NAMES.checkpoint, LARGEST_CHECKPOINT) : null;
  return { contents: { base, layers, labels, pictures, noneBelow: root.none_below ?? null }, checkpoint, told };
}

async function descriptionIn(zip) {
  const file = await zip.read(NAMES.description, LONGEST_DESCRIPTION);
  try {
    return objectOf(JSON.parse(await file.text()), NAMES.description);
  } catch (error) {
    throw error instanceof PagetrainError ? error : damaged(`${NAMES.description} is not JSON`);
  }
}

function checkedRoot(root, here) {
  if (root.format !== FORMAT) throw new PagetrainError("FormatError", "This is another kind of file than a project.", { code: "other-kind" });
  if (countOf(root.version, "version") !== VERSION) {
    throw new PagetrainError("FormatError", `This project file is of version ${root.version}, this page reads ${VERSION}: open it in a newer one.`, { code: "newer" });
  }
  const { name, fingerprint, layers } = objectOf(root.base, "base");
  if (name !== here.name || fingerprint !== here.fingerprint) {
    const differs = name === here.name ? `another build of ${here.name}` : `the base model ${String(name).slice(0, 60)}, and here is ${here.name}`;
    throw new PagetrainError("FormatError", `This project was made with ${differs}: open it where it was made.`, { code: "base" });
  }
  const labels = listOf(root.labels, "labels").map((label) => textOf(label, "labels"));
  checked(labels, new Set(labels).size === labels.length, "labels");
  const { none_below: below = null } = root;
  checked(below, below === null || (below >= 0 && below <= 1), "none_below");
  return { labels, layers: textOf(layers, "base.layers") };
}

function checkedPicture(one, where, labels) {
  const { label = null, row = null, file = null } = one;
  const isPlaced = label !== null;
  checked(label, !isPlaced || labels.includes(label), `${where}.label`);
  return {
    key: textOf(one.key, `${where}.key`, KEY),
    name: textOf(one.name ?? "", `${where}.name`),
    label,
    row: isPlaced ? countOf(row, `${where}.row`) : null,
    hash: isPlaced ? textOf(one.hash, `${where}.hash`, HASH) : "",
    group: textOf(one.group ?? "", `${where}.group`),
    confirmed: flagOf(one.confirmed, `${where}.confirmed`),
    file: file === null && isPlaced ? null : textOf(file, `${where}.file`, PHOTO),
  };
}

/** One row for each picture content. */
async function featuresIn(zip, listed) {
  if (new Set(listed.map(placeOf)).size < listed.length) throw damaged("a picture is twice in one class");
  const placed = listed.filter(({ row }) => row !== null);
  const rows = new Map(placed.map(({ key, row }) => [key, row]));
  if (placed.some(({ key, row }) => rows.get(key) !== row || row >= rows.size)) throw damaged("a picture has two rows of features, or one that is not there");
  return rows.size === 0 ? [] : rowsIn(await zip.read(NAMES.features), NAMES.features, rows.size);
}

async function trainingIn(zip, training) {
  const judged = training.judged && placesOf(training.judged);
  const rows = judged && judged.pictures.length > 0 ? await rowsIn(await zip.read(NAMES.judged), NAMES.judged, judged.pictures.length) : undefined;
  if (rows && rows[0].length !== judged.labels.length) throw damaged(`${NAMES.judged} is of other classes`);
  if (rows?.some((row) => row.some((share) => share < 0 || share > 1))) throw damaged(`${NAMES.judged} holds what is no probability`);
  return fromTraining(training, rows);
}

/** Each photo compared with the key of its picture. @returns {Promise<ProjectPicture[]>} */
async function withFiles(zip, listed) {
  const pictures = [];
  for (const { key, label, name, group, confirmed, file } of listed) {
    const content = file && (await zip.slice(file));
    if (content && ((await keyOf(content)) ?? key) !== key) throw damaged(`${JSON.stringify(name.slice(0, 60))} is not the picture that was added`);
    pictures.push({ key, label, name, group, confirmed, file: content && new File([content], name) });
  }
  return pictures;
}
