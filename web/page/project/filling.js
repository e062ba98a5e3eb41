/** The page filled with what a project file told. */

import { newIntake } from "../account.js";
import { judgementOf, sheet } from "../judgement.js";
import { learnNoneBelow } from "../judged/none_below.js";
import { resultOf } from "../learning.js";
import { newId, state } from "../state.js";
import { noteClasses } from "../trainer.js";
import { texts } from "../texts/texts.js";

/** @param {string[]} names @returns {import("../state.js").Class[]} */
export function classesOf(names) {
  return names.map((name) => ({ id: newId(), name, fresh: false }));
}

/** Inside a job, on an empty page. @param {import("../../pagetrain.js").Pagetrain} pt that holds it @param {import("../../module/project/project_file.js").Told} told */
export function fillPage(pt, { name, pictures, settings, training, noneBelowChosen }) {
  state.classes = classesOf(pt.labels);
  noteClasses(state.classes);
  const ids = new Map(state.classes.map((one) => [one.name, one.id]));
  const intake = Object.assign(newIntake(0), { took: 0 });
  for (const [index, one] of pictures.entries()) {
    const picture = pictureOf(one, one.label === null ? null : ids.get(one.label), intake, index);
    state.pictures.set(picture.id, picture);
  }
  state.edition += 1;
  state.featureBytes = pt.featureBytes;
  if (state.keeping.project) state.keeping.project.name = name || null;
  Object.assign(state.training, { settings, edition: state.edition, weights: settings.classWeights, since: performance.now() });
  Object.assign(state.none, { below: pt.noneBelow, chosen: noneBelowChosen });
  if (training) fillTraining(training);
  else if (pt.contents.head) fillGiven();
}

/** What was learnt, with nothing told of how: by others, or in Python. */
export function fillGiven() {
  const result = { right: 0, all: 0, aside: false, folds: 0, best: 0, rounds: 0, stopped: false, took: 0, learnt: new Set(state.classes.map(({ id }) => id)), given: true };
  const { training, edition } = state;
  Object.assign(training, { phase: "done", result, judgement: null, curves: [], edition, weights: training.settings.classWeights, since: performance.now() });
}

/** One without a photo has an empty file: it is learnt from, and only cannot be looked at. @returns {import("../state.js").Picture} */
function pictureOf({ key, label, name, group, confirmed, file }, classId, intake, index) {
  const called = name || texts.work.unnamed(index + 1);
  return {
    id: newId(), name: called, file: file ?? new File([], called), classId, key: label === null ? null : key, reading: label === null ? "waiting" : "ready", intake,
    thumb: file ? undefined : null, group: group || undefined, confirmed: confirmed ? classId : undefined,
  };
}

/** @param {import("../../module/project/training_fields.js").Training} told */
function fillTraining(told) {
  const asked = sheet();
  const gone = (told.judged?.labels ?? []).filter((label) => !asked.classes.some(({ name }) => name === label)).map((name) => ({ id: newId(), name }));
  const judgement = judgementOf(told.judged, { ...asked, classes: [...asked.classes, ...gone] });
  const result = resultOf(told, judgement, asked.classes.filter(({ name }) => told.labels.includes(name)));
  if (!result) return;
  Object.assign(state.training, { phase: "done", result, judgement, curves: told.epochs, edition: told.stale ? -1 : state.edition });
  state.none.learnt = judgement && learnNoneBelow(judgement.verdicts);
}
