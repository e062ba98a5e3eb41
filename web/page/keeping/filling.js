/** What was kept, put back: first what the page shows, and the trainer's part as soon as it is there. */

import { askTwice } from "../../shared/ask_twice.js";
import { newIntake } from "../account.js";
import { letGo, lineUp } from "../reading.js";
import { blank, changed, skipIds, state } from "../state.js";
import { enqueue, restoreTrainer } from "../trainer.js";
import { turnOff } from "../camera.js";
import { forgetThumbnail } from "../thumbnails.js";
import { allOf, inBatches } from "./database.js";
import { KeptFile } from "./kept_file.js";
import { byOf } from "./rows.js";

/** Features are read that many at a time. */
const BATCH = 200;

/**
 * @typedef {import("../state.js").Picture} Picture
 * @typedef {{ row: import("./rows.js").ProjectRow, pictures: import("./rows.js").PictureRow[], learnt: import("./rows.js").LearntRow | undefined }} Kept
 */

/** What the page shows of a project; no picture is read. @param {import("./database.js").Database} database @param {string} id @returns {Promise<Kept>} */
export async function readKept(database, id) {
  const transaction = database.transaction(["projects", "pictures", "learnt"]);
  const [row, pictures, learnt] = await Promise.all([
    transaction.objectStore("projects").get(id), transaction.objectStore("pictures").getAll(allOf(id)), transaction.objectStore("learnt").get(id),
  ]);
  return { row, pictures, learnt };
}

/** The page without anything of a project, as at its very beginning, but for the trainer. */
export function emptyState() {
  turnOff();
  letGo();
  for (const { stop } of [...state.listings, ...state.drops]) stop.abort();
  for (const { intake } of state.pictures.values()) intake.open.clear();
  for (const one of [...state.pictures.values(), ...state.tries.results]) forgetThumbnail(one);
  state.take.check?.stop.abort();
  for (const collection of [state.pictures, state.selected, state.listings]) collection.clear();
  for (const [part, fields] of Object.entries(blank())) Object.assign(state[part], fields);
  Object.assign(state, { classes: [], drops: [], large: null, restarted: false, fault: null, edition: state.edition + 1 });
}

/** Shows it. @param {Kept} kept @param {() => Promise<import("./database.js").Database>} database @returns {Picture[]} */
export function fillState({ row, pictures, learnt }, database) {
  skipIds(Math.max(0, ...row.classes.map(({ id }) => id), ...pictures.map(({ id }) => id)));
  state.classes = row.classes.map((one) => ({ ...one }));
  const intakes = new Map();
  for (const one of pictures) state.pictures.set(one.id, pictureOf(one, intakes, database));
  state.edition += 1;
  const { training } = state;
  Object.assign(training, { settings: row.settings, layers: row.layers, weights: row.weights, edition: row.stale ? -1 : state.edition });
  if (learnt) Object.assign(training, { phase: "done", result: learnt.result, curves: learnt.curves, judgement: judgementOf(learnt.judgement) });
  Object.assign(state.none, row.none);
  Object.assign(state.look, { seen: row.seen });
  state.take.name = row.fileName;
  for (const key of row.left) state.check.left.add(key);
  changed();
  return [...state.pictures.values()];
}

/** @param {import("./rows.js").PictureRow} row @returns {Picture} */
function pictureOf({ project, id, name, type, size, classId, key, confirmed, group }, intakes, database) {
  const file = new KeptFile({ name, size, type }, async () => (await (await database()).get("files", [project, id]))?.file);
  const known = key !== null && classId !== null;
  if (!intakes.has(group)) intakes.set(group, Object.assign(newIntake(0, group !== null), { took: 0 }));
  return { id, name, file, classId, key: known ? key : null, reading: known ? "ready" : "waiting", intake: intakes.get(group), thumb: undefined, confirmed: confirmed ?? undefined, group: group ?? undefined };
}

function judgementOf(judgement) {
  return judgement && { ...judgement, verdicts: judgement.verdicts.map((verdict) => ({ ...verdict, picture: state.pictures.get(verdict.picture) ?? null })) };
}

/**
 * Gives the trainer, when it is there, what it knew: features, as far as they belong to its base model, and what it had learnt. Other pictures are read
 * again from their files. @param {Kept} kept @param {Picture[]} pictures @param {() => Promise<import("./database.js").Database>} database
 * @param {(withFeatures: Set<number>) => void} onGiven
 */
export function giveTrainer({ row, learnt }, pictures, database, onGiven) {
  const classes = state.classes.map(({ id, name }) => ({ id, name })); // as they are now: what the person does from here on comes behind it
  const placed = new Map(pictures.map((picture) => [picture.id, { picture, classId: picture.classId }]));
  const loose = pictures.filter(({ reading, classId }) => reading === "waiting" && classId !== null);
  const given = enqueue(async (pt) => {
    const { base } = pt.contents;
    const fits = row.model && row.model.base.name === base.name && row.model.base.fingerprint === base.fingerprint && pt.layersOffered.includes(row.model.layers);
    const model = fits ? row.model : { base, layers: pt.layers };
    const { cached, by } = fits ? await featuresOf(await database(), row, placed, classes) : { cached: [], by: new Set() };
    const { head, withFeatures } = await asMuchAsFits(pt, { ...model, classes, cached, head: (fits && learnt) || null, noneBelow: row.none.below, withFeatures: by });
    onGiven(withFeatures);
    for (const { picture } of placed.values()) if (picture.reading === "ready" && !withFeatures.has(picture.id)) Object.assign(picture, { reading: "waiting", key: null });
    if (!head) forgetLearnt();
    return pictures.filter((picture) => picture.reading === "waiting" && picture.classId !== null && !loose.includes(picture) && state.pictures.get(picture.id) === picture);
  });
  if (loose.length > 0) lineUp(loose);
  return given.then((again) => { if (again.length > 0) lineUp(again); changed(); });
}

/** @param {import("./database.js").Database} database @param {import("./rows.js").ProjectRow} row */
async function featuresOf(database, { id, model }, placed, classes) {
  const names = new Map(classes.map((one) => [one.id, one.name]));
  const cached = [];
  const by = new Set();
  for await (const some of inBatches(database, "features", id, BATCH)) {
    for (const one of some) {
      const { picture, classId } = placed.get(one.id) ?? {};
      if (!picture || !names.has(classId) || picture.key !== one.key || one.by !== byOf(model)) continue;
      cached.push({ key: one.key, label: names.get(classId), hash: one.hash, group: picture.group, features: one.features });
      by.add(one.id);
    }
  }
  return { cached, by };
}

/** What was learnt may not fit, or features may not; the rest is given all the same. */
async function asMuchAsFits(pt, all) {
  const less = [all, { ...all, head: null }, { ...all, cached: [], withFeatures: new Set() }, { ...all, head: null, cached: [], withFeatures: new Set() }];
  for (const [index, given] of less.entries()) {
    try {
      await askTwice(() => restored(pt, given));
      return given;
    } catch (error) {
      if (index === less.length - 1) throw error;
      console.info(error);
    }
  }
}

/** A head for other classes than there are now, or for classes of other names, is first brought to those: classes that stay keep what they learnt. */
async function restored(pt, { base, layers, classes, cached, head, noneBelow }) {
  const ids = classes.map(({ id }) => id);
  const labels = classes.map(({ name }) => name);
  const contents = { base, layers, labels, pictures: cached, head: head?.head ?? null, noneBelow };
  const isSame = !head || (head.classes.join() === ids.join() && head.labels.every((label, index) => label === labels[index]));
  if (!isSame) contents.head = await broughtTo(pt, classes, head, { ...contents, labels: head.labels, pictures: [] });
  return restoreTrainer(pt, contents, ids);
}

/** By names that no class has, as one may be called now what another was called then. */
async function broughtTo(pt, classes, head, contents) {
  const passing = (id) => `\u2026 ${id}`;
  await pt.restore(contents);
  for (const [index, id] of head.classes.entries()) await pt.renameClass(head.labels[index], passing(id));
  await pt.setClasses(classes.map(({ id }) => passing(id)));
  for (const { id, name } of classes) await pt.renameClass(passing(id), name);
  return pt.contents.head;
}

function forgetLearnt() {
  const { training } = state;
  if (!training.result) return;
  Object.assign(training, { phase: "idle", result: null, judgement: null, curves: [] });
}
