/** All the page knows, as plain data, and who wants to hear that it changed. Views read it; only the modules beside this one write it. */

/**
 * @typedef {{ id: number, name: string, fresh: boolean }} Class  `fresh`: offered by us and not touched yet
 * @typedef {"waiting" | "reading" | "ready"} Reading
 * @typedef {{ id: number, name: string, file: Blob, classId: number | null, reading: Reading, key: string | null, intake: object,
 *             thumb: string | null | undefined }} Picture  `classId` null: unsorted; `thumb` undefined: not made yet, null: the browser cannot show it
 */
export const state = {
  step: "collect",
  load: { phase: "loading", stages: [], since: 0, error: null },
  backend: null,
  seal: { closed: false, at: null, requests: 0 },
  restarted: false,
  fault: null,
  /** @type {Class[]} */ classes: [],
  /** @type {Map<number, Picture>} */ pictures: new Map(),
  /** @type {Set<number>} */ selected: new Set(),
  /** Drops whose folders are still being gone through. */
  listing: 0,
  drops: [],
  /** Counts every change of classes or pictures that a trained model does not know of. */
  edition: 0,
  training: { phase: "idle", edition: -1, settings: {}, progress: null, curves: [], result: null, error: null, since: 0, stop: null },
  tries: { results: [], shown: null },
  take: { name: "", files: null, error: null },
};

const listeners = new Set();
let due = false;

export function subscribe(listener) {
  listeners.add(listener);
}

/** Says that the state changed. Many changes within a frame are one call of the listeners. */
export function changed() {
  if (due) return;
  due = true;
  if (document.hidden) setTimeout(tell, 50);
  else requestAnimationFrame(tell);
}

function tell() {
  due = false;
  for (const listener of listeners) listener(state);
}

let lastId = 0;

/** A number that no other class, picture or drop of this page has. */
export function newId() {
  lastId += 1;
  return lastId;
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

export function isReady() {
  return state.load.phase === "ready";
}

export function isTrained() {
  return state.training.result !== null;
}

/** True when classes or pictures changed since the model learnt. */
export function isStale() {
  return isTrained() && state.training.edition !== state.edition;
}
