/**
 * What the page has and the store has not, and its way there. Nobody says what changed: the state is compared with what was written last, so that nothing
 * can be forgotten. Each transaction takes the store from one whole project to another; small things go first, then files, some at a time, then features.
 */

import { opened } from "../packed_file.js";
import { slices } from "../slices.js";
import { changed, state } from "../state.js";
import { classesCalled, trainerNow } from "../trainer.js";
import { allOf, commit } from "./database.js";
import { KeptFile } from "./kept_file.js";
import { byOf, isAsIn, isBusy, isWorth, learntRow, pictureRow, projectRow } from "./rows.js";

/** Of one transaction: pictures, and their bytes. A browser may keep what did not fit in its own files for a while, so they are not many. */
const MOST = 64;
const ROOM = 4e6;
/** Milliseconds until the next attempt after one that failed, if nothing changes before; and at least. */
const AGAIN = 30_000;
const PAUSE = 2000;

/**
 * @typedef {import("./rows.js").Model} Model
 * @typedef {{ picture: import("../state.js").Picture, row: Pick<import("./rows.js").PictureRow, "classId" | "key" | "confirmed">, size: number, by: string | null, of: string | null }} Saved
 *   row: what its record says; by, of: model and key of the features that are kept
 * @typedef {import("../state.js").Project & { openedAt: number }} Kept
 */
export class Saver {
  #project;
  #database;
  /** @type {Map<number, Saved>} */
  #saved = new Map();
  /** Pictures whose file could not be read: they are only in memory. @type {Set<import("../state.js").Picture>} */
  #unreadable = new Set();
  /** The project as it was written, and whether it ever was. */
  #projectText = "";
  #isThere = false;
  #isLost = false;
  /** What was written of what was learnt. @type {any[]} */
  #learnt = [];
  /** @type {Model | null} */
  #model = null;
  /** Whether the trainer holds what was kept; until then the store knows more than it does. */
  #isGiven;
  #bytes = 0;
  #most = MOST;
  #isRunning = false;
  #isOver = false;
  #failedAt = -Infinity;
  #timer;

  /** @param {Kept} project @param {() => Promise<import("./database.js").Database>} database @param {{ isGiven: boolean, model?: Model | null }} kept */
  constructor(project, database, { isGiven, model = null }) {
    this.#project = project;
    this.#database = database;
    this.#isGiven = isGiven;
    this.#model = model;
  }

  /** Of a picture that was put back from the store. @param {import("../state.js").Picture} picture */
  noteSaved(picture) {
    this.#saved.set(picture.id, { picture, row: told(picture), size: picture.file.size, by: null, of: null });
    this.#bytes += picture.file.size;
  }

  /** The state is as the store has it. */
  noteProject() {
    this.#projectText = JSON.stringify(projectRow(this.#project, this.#model));
    this.#isThere = true;
  }

  /** The connection was lost: what is not in the store any more is written again. */
  noteLost() {
    this.#isLost = true;
  }

  /** The trainer has been given what was kept. @param {Set<number>} withFeatures pictures whose features were there */
  noteGiven(withFeatures) {
    const by = this.#model && byOf(this.#model);
    for (const id of withFeatures) if (this.#saved.has(id)) Object.assign(this.#saved.get(id), { by, of: this.#saved.get(id).row.key });
    this.#isGiven = true;
    this.#learnt = this.#learntNow();
  }

  /** Called whenever the state has changed, before anybody draws it: what it shows as saved is. */
  look() {
    if (this.#isOver || this.#isRunning) return;
    const hasFailed = performance.now() - this.#failedAt < PAUSE;
    if (!hasFailed && this.#isDue()) this.#run();
    else if (this.#isThere && state.keeping.phase === "failed" && !this.#isDue()) this.#tellRest(); // what could not be read is gone
  }

  /** As if nothing had failed before. */
  again() {
    this.#failedAt = -Infinity;
    this.look();
  }

  /** Settles when all is saved, or cannot be. @returns {Promise<boolean>} whether all is */
  async finish() {
    do {
      this.again();
      while (this.#isRunning) await new Promise((resolve) => setTimeout(resolve, 20));
    } while (this.#isDue() && this.#failedAt === -Infinity && !this.#isOver); // pictures that were read meanwhile
    return !this.#isDue() && this.#unread() === 0;
  }

  /** Nothing more is written. Settles when that is so. */
  async end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    while (this.#isRunning) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #isDue() {
    return this.#small() !== null || this.#fresh().length > 0 || this.#bare().length > 0;
  }

  async #run() {
    this.#isRunning = true;
    tellPhase({ phase: state.keeping.phase === "full" ? "full" : "saving", left: this.#fresh().length });
    clearTimeout(this.#timer);
    try {
      while (!this.#isOver && (await this.#step()));
      this.#failedAt = -Infinity;
      state.keeping.at = Date.now();
      this.#tellRest();
    } catch (error) {
      this.#fail(error);
    }
    this.#isRunning = false;
  }

  /** All is saved, but for pictures whose file could not be read. */
  #tellRest() {
    const left = this.#unread();
    tellPhase({ phase: left > 0 ? "failed" : "saved", left, since: left > 0 ? (state.keeping.since ?? Date.now()) : null, error: null });
  }

  #unread() {
    for (const picture of this.#unreadable) if (state.pictures.get(picture.id) !== picture) this.#unreadable.delete(picture);
    return this.#unreadable.size;
  }

  #fail(error) {
    this.#failedAt = performance.now();
    this.#most = 1;
    this.#timer = setTimeout(() => this.again(), AGAIN);
    const isFull = error.name === "QuotaExceededError";
    if (!isFull) console.warn(error);
    tellPhase({ phase: isFull ? "full" : "failed", left: this.#fresh().length + this.#unread(), since: state.keeping.since ?? Date.now(), error });
  }

  /** One transaction; false when there is nothing to do. */
  async #step() {
    if (this.#isLost) await this.#compare();
    const small = this.#small();
    if (small) await this.#writeSmall(small);
    else if (this.#fresh().length > 0) await this.#writeAsMany();
    else if (this.#bare().length > 0) await this.#writeFeatures();
    else return false;
    return true;
  }

  /** What needs no file: the project itself, what was learnt, pictures that changed, pictures that are gone. Null where there is nothing. */
  #small() {
    if (!this.#isThere && !isWorth()) return null;
    const row = projectRow(this.#project, this.#modelNow());
    const text = JSON.stringify(row);
    const changedOnes = [...state.pictures.values()].filter((picture) => this.#saved.has(picture.id) && !isAsIn(this.#saved.get(picture.id).row, picture));
    const gone = [...this.#saved.values()].filter(({ picture }) => state.pictures.get(picture.id) !== picture);
    const learnt = this.#learntNow();
    const isLearnt = learnt.length === this.#learnt.length && learnt.every((one, index) => one === this.#learnt[index]);
    if (text === this.#projectText && changedOnes.length === 0 && gone.length === 0 && isLearnt) return null;
    return { row, text, changedOnes, gone, learnt: isLearnt ? null : learnt };
  }

  async #writeSmall({ row, text, changedOnes, gone, learnt }) {
    const project = this.#project.id;
    const database = await this.#database();
    for (const { picture } of gone) if (picture.file instanceof KeptFile) picture.file.hold((await database.get("files", [project, picture.id]))?.file);
    const rows = changedOnes.map((picture) => pictureRow(project, picture));
    const goneBytes = gone.reduce((sum, { size }) => sum + size, 0);
    await commit(database, [
      this.#projectChange(row, -gone.length, -goneBytes),
      ...rows.map((value) => ({ store: "pictures", value })),
      ...gone.flatMap(({ picture: { id } }) => ["pictures", "files", "features"].map((store) => ({ store, gone: [project, id] }))),
      ...(learnt ? [this.#learntChange(learnt)] : []),
    ]);
    [this.#projectText, this.#isThere] = [text, true];
    this.#model = row.model;
    for (const written of rows) this.#saved.get(written.id).row = told(written);
    for (const { picture } of gone) this.#saved.delete(picture.id);
    this.#bytes -= goneBytes;
    if (learnt) this.#learnt = learnt;
  }

  #projectChange(row, more, bytes) {
    return { store: "projects", value: { ...row, openedAt: this.#project.openedAt, savedAt: Date.now(), pictures: this.#saved.size + more, bytes: this.#bytes + bytes } };
  }

  /** Features and head are of another model while it is brought to other layers: until that is done the store keeps those before. @returns {Model | null} */
  #modelNow() {
    const pt = trainerNow();
    if (!pt || !this.#isGiven || isBusy()) return this.#model;
    return { base: pt.contents.base, layers: pt.layers };
  }

  #learntNow() {
    const pt = trainerNow();
    const { result, judgement, curves } = state.training;
    if (!pt || !this.#isGiven || isBusy()) return this.#learnt;
    const { head, labels } = pt.contents;
    return result && head ? [result, judgement, curves, head, JSON.stringify([classesCalled(labels), labels])] : [];
  }

  #learntChange(learnt) {
    if (learnt.length === 0) return { store: "learnt", gone: this.#project.id };
    const [head, classes] = learnt.slice(3);
    const [ids, labels] = JSON.parse(classes);
    return { store: "learnt", value: learntRow(this.#project.id, { head, classes: ids, labels }) };
  }

  /** Pictures that are not in the store. */
  #fresh() {
    if (!isWorth()) return [];
    return [...state.pictures.values()].filter((picture) => !this.#saved.has(picture.id) && !this.#unreadable.has(picture));
  }

  /** Where there is no room for several, one by one until there is none for one. */
  async #writeAsMany() {
    try {
      await this.#writeFiles();
    } catch (error) {
      if (error.name !== "QuotaExceededError" || this.#most === 1) throw error;
      this.#most = 1;
    }
  }

  async #writeFiles() {
    const project = this.#project.id;
    const { files, unreadable } = await this.#read(this.#fresh());
    const here = files.filter(({ picture }) => state.pictures.get(picture.id) === picture);
    const rows = here.map(({ picture, file }) => ({ row: pictureRow(project, picture), picture, file }));
    const bytes = here.reduce((sum, { file }) => sum + file.size, 0);
    for (const picture of unreadable) this.#unreadable.add(picture);
    if (rows.length === 0) return;
    await commit(await this.#database(), [
      this.#projectChange(JSON.parse(this.#projectText), rows.length, bytes),
      ...rows.flatMap(({ row, file }) => [{ store: "pictures", value: row }, { store: "files", value: { project, id: row.id, file } }]),
    ]);
    for (const { picture, row, file } of rows) this.#saved.set(picture.id, { picture, row: told(row), size: file.size, by: null, of: null });
    this.#bytes += bytes;
    this.#most = Math.min(2 * this.#most, MOST);
    tellPhase({ left: this.#fresh().length });
  }

  /** The bytes of the first of them, as many as go into one transaction. A file that cannot be read would end that for all. */
  async #read(pictures) {
    const [files, unreadable] = [[], []];
    let room = ROOM;
    for (const picture of pictures.slice(0, this.#most)) {
      room -= picture.file.size;
      if (room < 0 && files.length > 0) break;
      try {
        const bytes = await (await opened(picture.file)).arrayBuffer();
        files.push({ picture, file: new File([bytes], picture.name, { type: picture.file.type }) });
      } catch (error) {
        if (!error.code) console.warn(error); // who reads it to learn from it says why, where there are words for it
        unreadable.push(picture);
      }
    }
    return { files, unreadable };
  }

  /** Pictures whose features the store has not. */
  #bare() {
    const model = this.#modelNow();
    if (!model || !this.#isGiven || isBusy()) return [];
    const by = byOf(model);
    return [...state.pictures.values()].filter(({ id, key }) => {
      const saved = this.#saved.get(id);
      return key && saved && (saved.by !== by || saved.of !== key);
    });
  }

  async #writeFeatures() {
    const project = this.#project.id;
    const by = byOf(this.#modelNow());
    const known = new Map(trainerNow().contents.pictures.map((one) => [one.key, one]));
    const breathe = slices();
    const rows = [];
    for (const picture of this.#bare().slice(0, MOST)) {
      const { id, key } = picture;
      const cached = known.get(key);
      if (cached) rows.push({ project, id, by, key, hash: cached.hash, features: cached.features });
      else Object.assign(this.#saved.get(id), { by, of: key }); // it goes just now: the trainer was told already
      await breathe();
    }
    if (rows.length > 0) await commit(await this.#database(), rows.map((value) => ({ store: "features", value })));
    for (const { id, key } of rows) if (this.#saved.has(id)) Object.assign(this.#saved.get(id), { by, of: key });
  }

  async #compare() {
    this.#isLost = false;
    const database = await this.#database();
    const there = new Set((await database.getAllKeys("files", allOf(this.#project.id))).map(([, id]) => id));
    for (const id of this.#saved.keys()) if (!there.has(id)) this.#saved.delete(id);
    for (const one of this.#saved.values()) Object.assign(one, { row: { ...one.row, classId: NaN }, by: null });
    [this.#projectText, this.#learnt] = ["", []];
  }
}

/** Of a picture or its record, what changes. */
function told({ classId, key = null, confirmed = null }) {
  return { classId, key, confirmed };
}

/** @param {Partial<import("../state.js").Keeping>} now */
function tellPhase(now) {
  Object.assign(state.keeping, now);
  changed();
}
