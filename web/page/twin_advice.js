/** Hints about pictures that are nearly the same: in two classes, or within one. */

import { decide, keepOne, leave, takeOut } from "./remedies.js";
import { findClass, state } from "./state.js";
import { texts } from "./texts/texts.js";
import { twins } from "./twins.js";

/** @returns {import("./advice.js").Hint} null when no picture is in two classes */
export function sharedHint() {
  const groups = groupsOf("shared", (classes) => classes.length > 1, decisions);
  const open = groups.filter(({ done }) => !done);
  return hintOf("shared", groups, {
    title: texts.advice.shared(open.length),
    text: texts.advice.sharedText,
    answers: [leavingAll("shared", open)],
  });
}

/** @returns {import("./advice.js").Hint} null when no class has pictures that are nearly the same */
export function twinHint() {
  const groups = groupsOf("twins", (classes, pictures) => classes.length === 1 && !areOneBurst(pictures), choices);
  const open = groups.filter(({ done }) => !done);
  const spare = open.reduce((sum, { pictures }) => sum + pictures.length - 1, 0);
  return hintOf("twins", groups, {
    title: texts.advice.twins(spare, open.length === 1 ? findClass(open[0].pictures[0].classId).name : null),
    text: texts.advice.twinsText,
    answers: [{ label: texts.advice.keepOneOfEach, act: () => keepOne({ key: "twins" }, open) }, leavingAll("twins", open)],
  });
}

/**
 * Groups of a kind in the order of their first pictures; what was answered stands between them in its old place.
 * @returns {import("./advice.js").Group[]}
 */
function groupsOf(hint, isOfKind, answersOf) {
  const { done, left } = state.check;
  const answered = [...done.values()].filter((one) => one.hint === hint).map((one) => ({ key: one.key, pictures: one.pictures, answers: [], done: one }));
  const open = twins().filter((pictures) => isOfKind(classesOf(pictures), pictures)).map((pictures) => ({ hint, key: keyOf(pictures), pictures }));
  const fresh = open.filter(({ key }) => !left.has(key) && !done.has(key)).map((group) => ({ ...group, answers: answersOf(group) }));
  return [...answered, ...fresh].sort((a, b) => Number.parseInt(a.key, 10) - Number.parseInt(b.key, 10));
}

/** With one group its own answers are enough. */
function hintOf(key, groups, { title, text, answers }) {
  const isOpen = groups.some(({ done }) => !done);
  const done = isOpen ? null : state.check.done.get(key);
  if (groups.length === 0 && !done) return null;
  return { key, icon: "pair", isOpen, title: isOpen ? title : texts.advice.settled, text: isOpen ? text : "", answers: isOpen && groups.length > 1 ? answers : [], groups, done };
}

function decisions(group) {
  const { key, pictures } = group;
  const those = classesOf(pictures).map((id) => ({ label: texts.advice.itIs(findClass(id).name), act: () => decide(group, id) }));
  return [...those, { label: texts.advice.takeOut(pictures.length), act: () => takeOut(group), plain: true }, leaving(group)];
}

function choices(group) {
  return [{ label: texts.advice.keepOne, act: () => keepOne(group, [group]) }, leaving(group)];
}

function leaving(group) {
  return { label: texts.advice.leaveAll(group.pictures.length), act: () => leave(group), plain: true };
}

function leavingAll(key, groups) {
  return { label: texts.advice.leaveThem, act: () => leave({ key }, groups.map((group) => group.key)), plain: true };
}

/** Pictures that the camera took in one go are nearly the same, and meant to be. */
function areOneBurst([first, ...others]) {
  return Boolean(first.intake?.isBurst) && others.every(({ intake }) => intake === first.intake);
}

function keyOf(pictures) {
  return pictures.map(({ id }) => id).sort((a, b) => a - b).join(" ");
}

function classesOf(pictures) {
  return [...new Set(pictures.map(({ classId }) => classId))];
}
