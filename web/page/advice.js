/** What a person should know about their pictures before training: hints in the order of their weight, each with its answers. */

import { FIRST_GOAL, gainOf, goalFrom } from "./measured.js";
import { leave, weigh } from "./remedies.js";
import { counts, isStale, isTrained, state } from "./state.js";
import { texts } from "./texts/texts.js";
import { sharedHint, twinHint } from "./twin_advice.js";

/**
 * @typedef {{ label: string, act: () => void, plain?: boolean }} Answer
 * @typedef {{ text: string, undo: () => void }} Done  what was answered, and the way back
 * @typedef {{ key: string, pictures: import("./state.js").Picture[], answers: Answer[], done?: Done }} Group  pictures that are nearly the same
 * @typedef {{ key: string, icon: string, isOpen: boolean, title: string, text: string, answers: Answer[], groups: Group[], done?: Done }} Hint
 *   `isOpen`: something waits for an answer
 */

/** Hints that wait for an answer at once. */
const MOST = 3;
/** A picture that is the only one of its class is never one that the model has not seen. */
const TESTABLE = 2;
const UNEVEN = 4;

/** @returns {Hint[]}  those that were answered say so in their old place */
export function advice() {
  const filled = filledClasses();
  const hints = [sharedHint(), unevenHint(filled), fewHint(filled), twinHint()].filter(Boolean);
  return hints.filter(({ key, done }) => done || !state.check.left.has(key));
}

/**
 * What is shown of it: the weightiest come first. But while the person points at the hints (`held`), those that stand keep their places and
 * others follow below, and while pictures are being read (`reading`) none come. @param {string[]} before  keys @param {Hint[]} now @returns {Hint[]}
 */
export function arrange(before, now, { held, reading }) {
  const place = ({ key }) => (before.includes(key) ? before.indexOf(key) : before.length);
  const some = reading ? now.filter(({ key }) => before.includes(key)) : now;
  const order = held ? [...some].sort((a, b) => place(a) - place(b)) : some;
  let open = 0;
  return order.filter(({ isOpen }) => !isOpen || ++open <= MOST);
}

/** The classes that have pictures. */
export function filledClasses() {
  const perClass = counts();
  return state.classes.map(({ id, name }) => ({ id, name, n: perClass.get(id) })).filter(({ n }) => n > 0);
}

/** The first of those with the fewest and with the most pictures. */
export function extremes(filled) {
  return [filled.reduce((a, b) => (b.n < a.n ? b : a)), filled.reduce((a, b) => (b.n > a.n ? b : a))];
}

/** @returns {Hint} */
function unevenHint(filled) {
  if (filled.length < 2) return null;
  const [small, large] = extremes(filled);
  if (large.n < UNEVEN * small.n) return null;
  const key = `uneven ${small.id} ${large.id}`;
  const counted = texts.advice.counted(small.name);
  const isOn = state.training.settings.classWeights === "balanced";
  const done = isOn ? { text: counted, undo: () => weigh(false, texts.advice.undone) } : state.check.done.get(key);
  return {
    key, icon: "alert", isOpen: !done, done, title: texts.advice.uneven(small.name, small.n, large.name, large.n), text: texts.advice.unevenText(large.name), groups: [],
    answers: [{ label: texts.advice.countMore(small.name), act: () => weigh(true, counted) }, leaving(key)],
  };
}

/** For the classes that are farthest from what is known to help. Those that have enough to begin with are told only after a training that got some wrong. @returns {Hint} */
function fewHint(filled) {
  if (filled.length < 2) return null;
  const goals = filled.map((one) => ({ ...one, goal: goalFrom(one.n) })).filter(({ goal }) => goal !== null);
  if (goals.length === 0) return null;
  const gain = gainOf(Math.min(...goals.map(({ goal }) => goal)));
  const few = goals.filter(({ goal }) => goal === gain.to);
  const isFirst = gain.to === FIRST_GOAL;
  if (!isFirst && !gotSomeWrong()) return null;
  const key = `few ${gain.to} ${few.map(({ id }) => id).join(" ")}`;
  const done = state.check.done.get(key);
  const text = [texts.advice.fewMore(few.map(({ name, n }) => [name, gain.to - n])), texts.advice.fewGain(gain), few.some(({ n }) => n < TESTABLE) && texts.advice.untestedText];
  return {
    key, icon: "alert", isOpen: !done, done, title: isFirst ? texts.advice.few(few.map(({ name, n }) => [name, n])) : texts.advice.more, groups: [],
    text: text.filter(Boolean).join(" "),
    answers: [leaving(key)],
  };
}

/** Of what it was tested on, as it is now. */
function gotSomeWrong() {
  const { result } = state.training;
  return isTrained() && !isStale() && result.right < result.all;
}

/** @returns {Answer} */
function leaving(key) {
  return { label: texts.advice.leave, act: () => leave({ key }), plain: true };
}
