/** All the page knows, as plain data, and who wants to hear that it changed. Views read it; only the modules beside this one write it. */

/**
 * @typedef {{ id: "python" | "packages" | "model" | "start", state: "waits" | "now" | "done" | "failed", loaded: number, total: number }} Stage
 * @typedef {{ phase: "loading" | "ready" | "failed", stages: Stage[], since: number, fetched: number, startedAt: number, error: any }} Load  `fetched`: bytes in this attempt
 * @typedef {{ id: number, name: string, fresh: boolean }} Class  `fresh`: offered by us and not touched yet
 * @typedef {File | import("./packed_file.js").PackedFile | import("./keeping/kept_file.js").KeptFile} AnyFile  to be read through `opened` of packed_file.js
 * @typedef {{ id: number, name: string, file: AnyFile, classId: number, reading: "waiting" | "reading" | "ready", key: string, intake: Intake, thumb: string,
 *             confirmed?: number, group?: string, readKey?: string }} Picture
 *   `classId` null: unsorted; `thumb` undefined: not made yet, null: the browser cannot show it; `confirmed`: the class of which the person said it is right;
 *   `group`: of pictures that were taken in one go; `readKey`: its key when it was read last
 * @typedef {{ id: number, since: number, took: number, total: number, open: Set<Picture>, loose: number, perClass: Map<number, number>,
 *             skipped: { name: string, zip?: string, reason: string }[], again: string[], leftOut: number, isBurst: boolean, cancelled: number, made: { id: number, name: string }[], stop: AbortController,
 *             saidAt: number, shown?: number, readSince?: any }} Intake
 *   what became of one drop; `open`: pictures still to be read; `made`: the classes that came with it; `took`: milliseconds, null until then; `isBurst`: taken by the camera in one go; `shown`: skipped files that its report lists
 * @typedef {{ files: number, stop: AbortController }} Listing  a drop whose folders and zips are being gone through; `files`: found there so far
 * @typedef {import("../shared/protocol.js").TrainProgress} Progress
 * @typedef {import("../shared/protocol.js").TrainOptions} TrainOptions
 * @typedef {{ right: number, all: number, aside: boolean, folds: number, best: number, rounds: number, stopped: boolean, took: number, learnt: Set<number>, given?: boolean, before?: { right: number, all: number } }} Result
 *   `aside`: counted on pictures kept aside, or by turns where there are `folds`; `learnt`: ids of its classes; `given`: elsewhere, so that nothing was counted; `before`: of the result that a change replaced
 * @typedef {import("./judged/verdicts.js").Verdict & { picture: Picture }} Verdict  `picture`: null if it was gone when the training ended
 * @typedef {{ classes: { id: number, name: string }[], verdicts: Verdict[], counts: number[][], asked: number, judged: import("./judged/verdicts.js").Judged }} Judgement
 *   what models said of pictures they had not seen; `classes`, `asked`: of the training, how many pictures there were; `judged`: as it was told, under the names of then
 * @typedef {{ phase: "idle" | "running" | "stopping" | "done", edition: number, settings: TrainOptions, layers: string, progress: Progress, preparing: { what: "layers" | "variants", done: number, total: number },
 *             curves: Progress[], result: Result, judgement: Judgement, quiet: boolean, error: any, since: number, stop: AbortController,
 *             weights?: TrainOptions["classWeights"] }} Training
 *   `edition`: of the pictures it learnt from, `weights`: of their classes meanwhile; `layers` that are to learn, null: as they are; `preparing`: pictures that are read again for that; `curves`: ends of rounds;
 *   `judgement` null: no picture was judged; `quiet`: in the background, after a change
 * @typedef {{ classId: number, label: string, probability: number }} Answer  `label`: as its class was called then; `classId` undefined: of a class that the page does not have
 * @typedef {{ id: number, name: string, file: AnyFile, thumb: string, answers: Answer[], by: Result, near: Picture[],
 *             error: string, took: number, added: Addition }} Try
 *   `by`: the training whose answers they are; `near`: the training pictures it reminds of, once they are looked up; `added`: null if the person left it at that
 * @typedef {{ picture: Picture, intake: Intake, change: Change }} Addition  a tried picture that went to a class
 * @typedef {{ file: File, answers: Try["answers"], by: Result, error: string, took: number, said: string }} Live  the last answer about what the camera sees
 * @typedef {{ text: string, undo: () => void }} Change  a person's answer to what it said of a picture
 * @typedef {{ phase: "off" | "asking" | "on" | "failed", use: number | "try", stream: MediaStream, cameras: string[], mirrored: boolean, silent: boolean, burst: Burst, taken: number,
 *             error: { code: string, name: string, message: string, listed: number } }} Camera
 *   `use`: the class its pictures go to, or to try; `cameras`: all there are; `mirrored`: as it is shown, never the pictures; `silent`: no pictures come from it just now; `taken`: pictures of its last burst
 * @typedef {{ id: string, name: string | null, onDisk?: number | null }} Project  `name` null: called after its classes; `onDisk`: when it was saved as a file last
 * @typedef {Project & { shownName: string, classes: number, pictures: number, bytes: number, result: { right: number, all: number } | null, savedAt: number, onDisk: number | null, cover: { id: number, name: string, file: AnyFile, thumb: string }[] }} Listed
 * @typedef {{ phase: "idle" | "saving" | "saved" | "full" | "failed" | "off", why: "none" | "newer" | "insecure" | "blocked" | null, project: Project | null, at: number | null, left: number, since: number | null,
 *             error: any, elsewhere: (Project & { shownName: string, waits: boolean }) | null, interrupted: boolean, projects: Listed[] | null, promise: boolean | null, silenced: boolean, refusal: string | null }} Keeping
 *   of the work, in this browser. `phase` "idle": there is nothing yet; "off": it keeps nothing, `why`; `at`: when all was saved last; `left`: pictures that are not; `since`: when that began to go
 *   wrong; `elsewhere`: a project that another tab has; `interrupted`: the page ended while it was training; `promise`: whether the browser said it will not clear it; `refusal`: why something was not done
 * @typedef {{ name: string, files: File[], over: boolean }} Burst  pictures that are taken one after another; `over`: no more of them
 */

/** What a project begins with, in the parts of the state that have several fields. */
export function blank() {
  return {
    training: /** @type {Training} */ ({ phase: "idle", edition: -1, settings: {}, progress: null, layers: null, preparing: null, curves: [], result: null, judgement: null, quiet: false, error: null, since: 0, stop: null, weights: undefined }),
    /** What was found about the pictures, and what the person said to it: `groups`: ids of nearly the same ones; `done`, `left`: by keys of hints and groups. */
    check: { /** @type {number[][]} */ groups: [], /** @type {Map<string, any>} */ done: new Map(), /** @type {Set<string>} */ left: new Set() },
    /** `open`: the cell whose pictures are shown, by its classes. */
    look: { /** @type {{ truth: number, said: number }} */ open: null, seen: false, /** The latest last. @type {Change[]} */ changes: [] },
    /** Below this probability its best answer is "none of these"; null: it always answers. `chosen`: by the person, not learnt. */
    none: { /** @type {number} */ below: null, /** @type {number} */ learnt: null, chosen: false },
    /** `shown`: the one that is large; `live`: while the camera's picture is asked about instead; `kept`: how many were kept of those. */
    tries: { /** @type {Try[]} */ results: [], /** @type {number} */ shown: null, /** @type {Live} */ live: null, kept: 0 },
    /** `check`: of the model that is offered, which takes pictures or tensors; `taken`: what was saved last, with its name then. */
    take: { name: "", pictureInput: false, /** @type {{ outcome: import("./receipt/checking.js").Checked, fileName: string }} */ taken: null, /** @type {import("./receipt/checking.js").Check} */ check: null },
  };
}

export const state = {
  /** @type {"collect" | "train" | "look" | "try" | "take" | "done" | "projects"} */ step: "collect",
  /** @type {Load} */ load: { phase: "loading", stages: [], since: 0, fetched: 0, startedAt: null, error: null },
  /** What the trainer keeps of each picture; 0 until it is there. */ featureBytes: 0,
  /** Which layers may learn; none until it is there. @type {string[]} */ layersOffered: [],
  seal: { closed: false, /** @type {Date} */ at: null, requests: 0 },
  /** `phase`: whether this page will open without a network; `newer`: a newer page is kept beside it, and the person may have asked for it. */
  offline: { /** @type {"fetching" | "kept" | "insecure" | "forbidden" | "failed" | "full"} */ phase: "fetching", /** @type {null | "offered" | "wanted" | "taken"} */ newer: null },
  restarted: false,
  /** An error that no part of the page has words for. @type {any} */ fault: null,
  /** @type {Class[]} */ classes: [],
  /** @type {Map<number, Picture>} */ pictures: new Map(),
  /** @type {Set<number>} */ selected: new Set(),
  /** What is still being looked through. @type {Set<Listing>} */ listings: new Set(),
  /** The newest first. @type {Intake[]} */ drops: [],
  /** Counts every change of classes or pictures that a trained model does not know of. */ edition: 0,
  ...blank(),
  /** The picture that is open large. @type {Picture} */ large: null,
  /** @type {Camera} */ camera: { phase: "off", use: null, stream: null, cameras: [], mirrored: true, silent: false, burst: null, taken: 0, error: null },
  /** A file of work that is being opened, or was refused: a project, or what somebody else has learnt. `seen`: what was opened last, as long as it is told. */
  work: { /** @type {string} */ opening: null, /** @type {{ name: string, error: any }} */ refused: null, /** @type {string} */ seen: null },
  /** @type {Keeping} */
  keeping: { phase: "idle", why: null, project: null, at: null, left: 0, since: null, error: null, elsewhere: null, interrupted: false, projects: null, promise: null, silenced: false, refusal: null },
};

/** Milliseconds between two drawings of what moves by itself. */
const PACE = 100;

const listeners = new Set();
/** When the listeners are called next. @type {null | "soon" | "now"} */
let due = null;
let pause;

export function subscribe(listener) {
  listeners.add(listener);
}

/** Says that the state changed. Many changes within a frame are one call of the listeners. */
export function changed() {
  if (due === "now") return;
  due = "now";
  if (document.hidden) setTimeout(tell, 50);
  else requestAnimationFrame(tell);
}

/** The same for what moves by itself, as progress does: drawn at most ten times a second, so that the page is free meanwhile. */
export function moved() {
  if (due !== null) return;
  due = "soon";
  pause = setTimeout(tell, PACE);
}

function tell() {
  clearTimeout(pause);
  due = null;
  for (const listener of listeners) listener(state);
}

let lastId = 0;

/** A number that no other class, picture or drop of this page has. */
export function newId() {
  lastId += 1;
  return lastId;
}

/** What was kept from a visit before has its numbers already. @param {number} highest of them */
export function skipIds(highest) {
  lastId = Math.max(lastId, highest);
}

/** The pictures of a class in the order they came; `null` answers the unsorted ones. */
export function picturesOf(classId) {
  return [...state.pictures.values()].filter((picture) => picture.classId === classId);
}

/** One pass over all pictures: how many each class has. */
export function counts() {
  const answer = new Map(state.classes.map((one) => [one.id, 0]));
  for (const { classId } of state.pictures.values()) if (classId !== null) answer.set(classId, (answer.get(classId) ?? 0) + 1);
  return answer;
}

export function findClass(id) {
  return state.classes.find((one) => one.id === id);
}

/** What the class of an answer is called now; one that is gone, as it was called then. @param {Answer} answer */
export function nameOf({ classId, label }) {
  return findClass(classId)?.name ?? label;
}

export function isReady() {
  return state.load.phase === "ready";
}

/** Whether it knows something: of what it learnt, a class at least is still there. */
export function isTrained() {
  const { result } = state.training;
  return result !== null && state.classes.some(({ id }) => result.learnt.has(id));
}

/** True when classes, pictures or their weights changed since the model learnt. */
export function isStale() {
  const { edition, weights, settings } = state.training;
  return isTrained() && (edition !== state.edition || weights !== settings.classWeights);
}

/** Whether its best answer is below the value under which it says "none of these". */
export function isNone(best) {
  return best !== undefined && state.none.below !== null && best.probability < state.none.below;
}
