/** The project that is open, and the others: which tab has which, and what a person does with them as wholes. */

import { say } from "../announcer.js";
import { offerClasses } from "../classes.js";
import { finishBurst } from "../recording.js";
import { changed, state } from "../state.js";
import { forgetJobs, tell } from "../trainer.js";
import { texts } from "../texts/texts.js";
import { commit, deleteDatabase, isThere, openDatabase, removeProject } from "./database.js";
import { changing } from "./changing.js";
import { emptyState, fillState, giveTrainer, readKept } from "./filling.js";
import { KeptFile } from "./kept_file.js";
import { canLock, take, takeSoon, takeWhenFree } from "./locks.js";
import { isBusy, isWorth } from "./rows.js";
import { Saver } from "./saver.js";

/** @type {Promise<import("./database.js").Database> | null} */
let connection = null;
/** @type {Saver | null} */
let saver = null;
let release = () => {};
/** Of a wish for a project that another tab has. */
let wish = new AbortController();

function database() {
  connection ??= openDatabase(onLost).catch((error) => {
    connection = null;
    throw error;
  });
  return connection;
}

function onLost() {
  connection = null;
  saver?.noteLost();
}

/** At the page's start: the project that was open last, or nothing yet. Never rejects, and the page works without. @returns {Promise<boolean>} whether there was one */
export async function wake() {
  try {
    if (!canLock()) throw Object.assign(new Error("no locks"), { name: "InsecureError" });
    if (!(await isThere())) return begin();
    const last = (await rows())[0];
    if (!last) return begin();
    const free = await takeSoon(last.id);
    if (free) return await show(last.id, free);
    state.keeping.elsewhere = { id: last.id, name: last.name, shownName: nameOf(last), waits: false };
    return begin();
  } catch (error) {
    stayOff(error);
    return false;
  }
}

function stayOff(error) {
  const why = { VersionError: "newer", InsecureError: "insecure", TimeoutError: "blocked" }[error.name] ?? "none";
  console.info(error);
  Object.assign(state.keeping, { phase: "off", why, error });
}

/** A new project, which is kept as soon as there is something in it. Always free: nobody knows its name. */
function begin() {
  const id = crypto.randomUUID();
  take(id).then((free) => { release = free; }, () => {});
  follow({ id, name: null, openedAt: Date.now() }, { isGiven: true });
  Object.assign(state.keeping, { phase: "idle", at: null, interrupted: false });
  return false;
}

/** @param {import("./saver.js").Kept} project */
function follow(project, kept) {
  saver = new Saver(project, database, kept);
  Object.assign(state.keeping, { project, left: 0, since: null, error: null, silenced: false });
  return saver;
}

/** Puts a project back whose lock is ours. */
async function show(id, free) {
  try {
    const kept = await readKept(await database(), id);
    const openedAt = Date.now();
    await commit(await database(), [{ store: "projects", value: { ...kept.row, openedAt } }]);
    release = free;
    const now = follow({ id, name: kept.row.name, onDisk: kept.row.onDisk, openedAt }, { isGiven: false, model: kept.row.model });
    const pictures = fillState(kept, database);
    Object.assign(state.keeping, { phase: "saved", at: kept.row.savedAt, interrupted: kept.row.interrupted });
    for (const picture of pictures) now.noteSaved(picture);
    now.noteProject();
    giveTrainer(kept, pictures, database, (by) => now.noteGiven(by)).catch((error) => error.name === "AbortError" || unexpected(error));
    return true;
  } catch (error) {
    free();
    throw error;
  }
}

function unexpected(error) {
  console.error(error);
  state.fault = error;
  changed();
}

/** Whenever the state has changed. */
export function keepUp() {
  if (isBusy()) state.keeping.interrupted = false; // it was begun again
  if (state.keeping.phase !== "off") saver?.look();
}

/** The browser asks before it closes a page that holds what is saved nowhere. */
export function guardUnsaved() {
  addEventListener("beforeunload", (event) => {
    if (["full", "failed"].includes(state.keeping.phase) && state.keeping.left > 0) event.preventDefault();
  });
}

/** Whether the page can be loaded anew now and nothing is lost. Settles when all is saved that can be. @returns {Promise<boolean>} */
export async function isAllKept() {
  if (isBusy()) return false;
  return state.keeping.phase === "off" ? !isWorth() : saver.finish();
}

/** Once more, now that there may be room. */
export function keepAgain() {
  saver?.again();
}

/** What a project is called: by its person, or after the classes that they touched. @param {{ name: string | null, classes: { name: string, fresh: boolean }[] }} project */
export function nameOf({ name, classes }) {
  return name ?? texts.keep.unnamed(classes.filter(({ fresh }) => !fresh).map((one) => one.name));
}

export function nameNow() {
  return nameOf({ name: state.keeping.project?.name ?? null, classes: state.classes });
}

/** @returns {Promise<import("./rows.js").ProjectRow[]>} the one that was open last first */
async function rows() {
  return (await (await database()).getAll("projects")).sort((a, b) => b.openedAt - a.openedAt);
}

/** Looks up what there is. */
export async function listProjects() {
  if (state.keeping.phase === "off") return;
  try {
    const all = (await isThere()) ? await rows() : [];
    const db = all.length > 0 ? await database() : null;
    state.keeping.projects = await Promise.all(all.map((row) => listed(db, row)));
    state.keeping.promise = (await navigator.storage?.persisted?.()) ?? null;
  } catch (error) {
    unexpected(error);
  }
  changed();
}

/** @param {import("./rows.js").ProjectRow} row @returns {Promise<import("../state.js").Listed>} */
async function listed(db, row) {
  const first = (await Promise.all(row.cover.map((one) => db.get("pictures", [row.id, one])))).filter(Boolean);
  const cover = first.map((one) => ({ id: one.id, name: one.name, thumb: undefined, file: new KeptFile(one, async () => (await db.get("files", [row.id, one.id]))?.file) }));
  const old = state.keeping.projects?.find(({ id }) => id === row.id)?.cover ?? [];
  const known = cover.map((one) => old.find(({ id }) => id === one.id) ?? one);
  return { id: row.id, name: row.name, shownName: nameOf(row), classes: row.classes.length, pictures: row.pictures, bytes: row.bytes, result: row.result, savedAt: row.savedAt, onDisk: row.onDisk ?? null, cover: known };
}

/** Leaves the open project, all of it saved. @returns {Promise<boolean>} false, with a word why, where it cannot be left */
async function leave() {
  if (isBusy()) return refuse(texts.keep.training);
  await finishBurst(); // its pictures are of this project
  if (saver && state.keeping.phase !== "off" && !(await saver.finish())) return refuse(texts.keep.unsaved(nameNow()));
  await close();
  return true;
}

function refuse(sentence) {
  state.keeping.refusal = sentence;
  say(sentence);
  changed();
  return false;
}

async function close() {
  await saver?.end();
  saver = null;
  release();
  release = () => {};
  emptyState();
  changed();
  await forgetJobs();
}

/** Opens another project in the place of this one. @returns {Promise<boolean>} false where it stays */
export async function openProject(id) {
  if (id === state.keeping.project?.id) return true;
  const free = await take(id);
  if (!free) return refuse(texts.keep.busy);
  return changing(async () => {
    const isLeft = (await isKept(id)) && (await leave());
    if (isLeft) await show(id, free);
    else free();
    return isLeft;
  });
}

/** Another tab may have deleted it meanwhile: that is said, and it is not listed any more. Nothing is left for it. */
async function isKept(id) {
  if ((await (await database()).getKey("projects", id)) !== undefined) return true;
  await listProjects();
  return refuse(texts.keep.gone);
}

/** @returns {Promise<boolean>} false where this one stays */
export function newProject() {
  return changing(async () => {
    const isLeft = await leave();
    if (isLeft) startEmpty();
    return isLeft;
  });
}

function startEmpty() {
  tell(async (pt) => pt.restore({ base: pt.contents.base, layers: pt.layersOffered[0], labels: [], pictures: [], head: null, noneBelow: null }));
  begin();
  offerClasses();
}

/** @param {string} id @param {string} name "": called after its classes again */
export async function renameProject(id, name) {
  const wanted = name.trim() || null;
  if (id === state.keeping.project?.id) {
    state.keeping.project.name = wanted;
    changed();
    await saver.finish();
  } else await withLock(id, async () => {
    const db = await database();
    if (!(await isKept(id))) return;
    await commit(db, [{ store: "projects", value: { ...(await db.get("projects", id)), name: wanted } }]);
  });
  await listProjects();
}

/** It was saved as a file. */
export async function noteOnDisk() {
  if (!state.keeping.project) return;
  state.keeping.project.onDisk = Date.now();
  changed();
  await saver?.finish();
}

/** All that is kept of it goes. @returns {Promise<boolean>} false where another tab has it open */
export async function deleteProject(id) {
  const isOpen = id === state.keeping.project?.id;
  if (isOpen && isBusy()) return refuse(texts.keep.training);
  const remove = async () => removeProject(await database(), id);
  if (isOpen) {
    await changing(async () => {
      await saver.end();
      await remove();
      await close();
      startEmpty();
    });
  } else if (!(await withLock(id, remove))) return false;
  keepAgain();
  await listProjects();
  return true;
}

/** All that is kept goes, and nothing is kept from here on. */
export async function eraseProjects() {
  await saver?.end();
  saver = null;
  Object.assign(state.keeping, { phase: "off", why: "blocked" }); // which holds where the browser does not let go of it
  const open = await connection?.catch(() => null);
  open?.close();
  connection = null;
  await deleteDatabase();
}

async function withLock(id, job) {
  const free = await take(id);
  if (!free) return refuse(texts.keep.busy);
  try {
    await job();
  } finally {
    free();
  }
  return true;
}

/** Opens the project that another tab has as soon as that lets go of it. */
export async function waitForOther() {
  const { elsewhere } = state.keeping;
  wish = new AbortController();
  elsewhere.waits = true;
  changed();
  try {
    const free = await takeWhenFree(elsewhere.id, wish.signal);
    const isStill = await isKept(elsewhere.id);
    const isLeft = isStill && (await changing(async () => (await leave()) && show(elsewhere.id, free)));
    if (!isLeft) free();
    if (!isStill || state.keeping.project?.id === elsewhere.id) state.keeping.elsewhere = null;
    else elsewhere.waits = false; // it may be asked for again
  } catch (error) {
    if (!wish.signal.aborted) unexpected(error);
  }
  changed();
}

/** The person goes on without it. */
export function forgetOther() {
  wish.abort();
  state.keeping.elsewhere = null;
  changed();
}

/** Asks the browser never to clear what is kept. */
export async function askPromise() {
  state.keeping.promise = await navigator.storage.persist();
  say(state.keeping.promise ? texts.keep.promised : texts.keep.notPromised);
  changed();
}

/** The person knows that nothing is kept. */
export function silence() {
  state.keeping.silenced = true;
  changed();
}

export function forgetInterruption() {
  state.keeping.interrupted = false;
  changed();
}
