/** A file of work that came in: a project becomes what is on the page, what somebody else has learnt is taken over. */

import { say } from "../announcer.js";
import { confirmOpening } from "../views/confirm.js";
import { changing } from "../keeping/changing.js";
import { newProject } from "../keeping/keeper.js";
import { isLearning } from "../learning.js";
import { changed, findClass, state } from "../state.js";
import { enqueue, noteClasses } from "../trainer.js";
import { texts } from "../texts/texts.js";
import { classesOf, fillGiven, fillPage } from "./filling.js";

const DELTA = /\.delta$/i;

let last = Promise.resolve();

/** Opens it in its turn; what is wrong with it stands on the page. @param {File} file */
export function openWork(file) {
  last = last.then(() => openNow(file));
  return last;
}

async function openNow(file) {
  Object.assign(state.work, { opening: file.name, refused: null, seen: null });
  say(texts.work.opening(file.name));
  changed();
  try {
    if (isLearning()) throw Object.assign(new Error(texts.work.training), { code: "training" });
    const said = await (DELTA.test(file.name) ? takeOver(file) : open(file));
    Object.assign(state.work, { seen: said });
    if (said) say(said);
  } catch (error) {
    console.info(error);
    state.work.refused = { name: file.name, error };
    say(texts.work.reasonOf(error));
  }
  state.work.opening = null;
  changed();
}

/** All of it is checked before anything changes; then it opens as a project beside the others. Answers what to say, null if the page stays as it is. */
async function open(file) {
  await enqueue((pt) => pt.openProject(file, { agree: () => false }));
  const here = state.pictures.size;
  const isLost = state.keeping.phase === "off" && here > 0; // else what is here stays, as another project
  if (isLost && !(await confirmOpening(file.name, here))) return null;
  return changing(async () => {
    if (!(await newProject())) throw new Error(state.keeping.refusal);
    return enqueue(async (pt) => {
      const told = await pt.openProject(file);
      fillPage(pt, told);
      return texts.work.opened(told.name || file.name, state.classes.length, state.pictures.size);
    });
  });
}

/** The classes stay; where they have no pictures yet, they become those of the file. */
function takeOver(file) {
  return enqueue(async (pt) => {
    const ids = state.classes.map(({ id }) => id);
    const names = await pt.applyDelta(file);
    const same = names.length === ids.length && names.every((name, index) => findClass(ids[index])?.name === name);
    if (!same) {
      state.classes = classesOf(names);
      noteClasses(state.classes);
    }
    state.edition += 1;
    fillGiven();
    Object.assign(state.none, { below: pt.noneBelow, learnt: null, chosen: pt.noneBelow !== null });
    return texts.work.taken(names.length);
  });
}
