/** What a training says of the pictures it judged, in the page's own classes and pictures, which may change while it goes on. */

import { confusion } from "./judged/counts.js";
import { verdictsOf } from "./judged/verdicts.js";
import { FIRST_GOAL } from "./measured.js";
import { findClass, state } from "./state.js";
import { texts } from "./texts/texts.js";

/** The classes and pictures that a training beginning now is given. */
export function sheet() {
  const classes = state.classes.map(({ id, name }) => ({ id, name }));
  const names = new Map(classes.map(({ id, name }) => [id, name]));
  const sorted = [...state.pictures.values()].filter(({ classId, key }) => names.has(classId) && key);
  return { classes, pictures: new Map(sorted.map((picture) => [placeOf({ key: picture.key, label: names.get(picture.classId) }), picture])) };
}

/** @returns {import("./state.js").Judgement} null when no picture was judged */
export function judgementOf(judged, { classes, pictures }) {
  if (!judged || judged.pictures.length === 0) return null;
  const ordered = judged.labels.map((label) => classes.find(({ name }) => name === label));
  const verdicts = verdictsOf(judged).map((verdict) => ({ ...verdict, picture: pictures.get(placeOf(judged.pictures[verdict.index])) ?? null }));
  return { classes: ordered, verdicts, counts: confusion(verdicts, ordered.length), asked: pictures.size, judged };
}

/** Names of the classes of which no picture was judged, as of one that has a single picture. @param {import("./state.js").Judgement} judgement */
export function unjudgedNames(judgement) {
  return judgement.counts.flatMap((row, place) => (row.every((n) => n === 0) ? [nameAt(judgement, place)] : []));
}

/** Why the last training judged no picture, and what to do. */
export function whyNotJudged() {
  return state.training.settings.validation === 0 ? texts.look.judgedNone.wanted : texts.look.judgedNone.few(FIRST_GOAL);
}

/** As it is called now; a class that is gone, as it was called then. @param {import("./state.js").Judgement} judgement */
export function nameAt({ classes }, place) {
  return findClass(classes[place].id)?.name ?? classes[place].name;
}

/** Whether the picture still lies where it was judged. @param {import("./state.js").Judgement} judgement @param {import("./state.js").Verdict} verdict */
export function stands({ classes }, { picture, truth }) {
  return picture !== null && state.pictures.get(picture.id) === picture && picture.classId === classes[truth].id;
}

function placeOf({ key, label }) {
  return `${key} ${label}`;
}
