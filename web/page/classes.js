/** Adding, naming and removing classes. */

import { changed, findClass, newId, picturesOf, state } from "./state.js";
import { drop } from "./pictures.js";
import { sendClasses, sendRename } from "./trainer.js";
import { texts } from "./texts/texts.js";

const same = (a, b) => a.localeCompare(b, undefined, { sensitivity: "accent" }) === 0;

/** What the trainer takes at most, in characters. */
const LONGEST = 100;

/** A name as it is kept: one line, no spaces around it, composed, so that two names that look equal are equal. */
export function tidy(name) {
  const line = name.normalize("NFC").replace(/[\s\p{Cc}]+/gu, " ").trim();
  return [...line].slice(0, LONGEST).join("").trim();
}

export function classNamed(name) {
  return state.classes.find((one) => same(one.name, tidy(name)));
}

/** Two classes to begin with. A dropped folder replaces them as long as nobody has touched them. */
export function offerClasses() {
  for (let n = 0; n < 2; n += 1) state.classes.push(newClass(freeName(), true));
  sendClasses();
}

export function addClass(name = freeName()) {
  const one = push(tidy(name));
  state.edition += 1;
  sendClasses();
  changed();
  return one;
}

/** Answers "empty" or "taken" when the name cannot be given, else null. */
export function renameClass(id, wanted) {
  const one = findClass(id);
  const name = tidy(wanted);
  if (!name) return "empty";
  const holder = classNamed(name);
  if (holder && holder !== one) return "taken";
  one.fresh = false;
  if (one.name !== name) {
    one.name = name;
    sendRename(id, name);
  }
  changed();
  return null;
}

export function removeClass(id) {
  drop(picturesOf(id), false);
  state.classes = state.classes.filter((one) => one.id !== id);
  state.edition += 1;
  sendClasses();
  changed();
}

/** Those that came with a drop, got no picture, and that nobody has renamed. @param {{ id: number, name: string }[]} classes */
export function removeEmpty(classes) {
  const untouched = classes.filter(({ id, name }) => findClass(id)?.name === name && picturesOf(id).length === 0 && state.camera.use !== id);
  for (const { id } of untouched) removeClass(id);
  if (untouched.length > 0 && state.classes.length === 0) offerClasses();
}

/** The classes of dropped folders by folder name, new ones added; those we offered go, as the person brings their own, but one that the camera is on for. */
export function classesOfFolders(names) {
  if (names.length === 0) return new Map();
  state.classes = state.classes.filter((one) => !one.fresh || one.id === state.camera.use || picturesOf(one.id).length > 0);
  const found = new Map(names.map((name) => [name, classNamed(name) ?? push(tidy(name) || freeName())]));
  state.edition += 1;
  sendClasses();
  return new Map([...found].map(([name, one]) => [name, one.id]));
}

function push(name) {
  const one = newClass(name, false);
  state.classes.push(one);
  return one;
}

function newClass(name, fresh) {
  return { id: newId(), name, fresh };
}

function freeName() {
  for (let n = state.classes.length + 1; ; n += 1) {
    const name = texts.classes.untitled(n);
    if (!classNamed(name)) return name;
  }
}
