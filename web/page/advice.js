/** What a person should know about their pictures before training, in the order of its weight. */

import { counts, state } from "./state.js";
import { en } from "./texts/en.js";

const FEW = 8;
/** The trainer keeps no picture aside in a smaller class. */
const TESTABLE = 4;
const UNEVEN = 4;

/** @returns {{ key: string, title: string, text: string }[]}  one for each class that is small, the most uneven one first */
export function advice() {
  const perClass = counts();
  const filled = state.classes.map((one) => ({ name: one.name, n: perClass.get(one.id) })).filter(({ n }) => n > 0);
  if (filled.length < 2) return [];
  const [small, large] = extremes(filled);
  const isUneven = large.n >= UNEVEN * small.n;
  const few = filled.filter((one) => one.n < FEW && !(isUneven && one === small)).map((one) => hint(en.advice.few(one.name, one.n), fewText(one)));
  if (!isUneven) return few;
  const texts = [en.advice.unevenText(large.name), small.n < FEW && fewText(small)];
  return [hint(en.advice.uneven(small.name, small.n, large.name, large.n), texts.filter(Boolean).join(" ")), ...few];
}

function extremes(filled) {
  return [filled.reduce((a, b) => (b.n < a.n ? b : a)), filled.reduce((a, b) => (b.n > a.n ? b : a))];
}

function fewText({ n }) {
  return n < TESTABLE ? en.advice.untestedText : en.advice.fewText;
}

function hint(title, text) {
  return { key: title, title, text };
}
