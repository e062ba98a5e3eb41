/** The model to take away: made, opened again from its bytes, and asked about pictures, before it is offered. */

import { askTwice } from "../../shared/ask_twice.js";
import { say } from "../announcer.js";
import { opened } from "../packed_file.js";
import { hasPhoto } from "../pictures.js";
import { changed, isTrained, moved, state } from "../state.js";
import { editionOfModel } from "../taking.js";
import { enqueue } from "../trainer.js";
import { texts } from "../texts/texts.js";
import { patterns } from "./patterns.js";
import { sampleOf } from "./sample.js";

/**
 * @typedef {import("../../module/exported.js").Checked} Checked
 * @typedef {{ edition: string, phase: "making" | "checking" | "same" | "differs" | "stopped" | "failed", pictures: import("../state.js").Picture[], of: number, drawn: boolean,
 *             done: number, file: Blob, outcome: Checked, error: any, stop: AbortController }} Check
 *   `edition`: of the model; `pictures`: that are asked about, of `of`, or `drawn` ones, where there are no photos; `file`: to save, once it is made; `outcome`: once it was asked about all
 */

/** Makes and checks the model, once for each state of it. Asked for at every drawing of the step. */
export async function checkModel() {
  const edition = `${editionOfModel()} ${state.take.pictureInput}`;
  if (!isTrained() || state.take.check?.edition === edition) return;
  state.take.check?.stop.abort();
  const { asked, of, drawn } = picturesToAsk();
  const check = /** @type {Check} */ ({ edition, phase: "making", pictures: asked, of, drawn, done: 0, file: null, outcome: null, error: null, stop: new AbortController() });
  state.take.check = check;
  try {
    await enqueue((pt) => askTwice(() => make(pt, check)));
    const { differing } = check.outcome;
    end(check, differing.length > 0 ? "differs" : "same", check.outcome.file);
  } catch (error) {
    if (check.stop.signal.aborted) return end(check, "stopped", check.file);
    console.error(error);
    check.error = error;
    end(check, "failed", check.file);
  }
}

async function make(pt, check) {
  const { signal } = check.stop;
  signal.throwIfAborted();
  Object.assign(check, { phase: "making", done: 0 });
  check.file = await pt.exportModel({ pictureInput: state.take.pictureInput });
  check.phase = "checking";
  changed();
  const asked = check.pictures.map(({ file, key }) => ({ key, file: () => opened(file) }));
  check.outcome = await pt.checkExported(check.file, asked, { signal, onProgress: ({ done }) => { check.done = done; moved(); } });
}

/** Nothing if another check took its place meanwhile. */
function end(check, phase, file) {
  if (state.take.check !== check) return;
  Object.assign(check, { phase, file });
  say(texts.receipt.said(check));
  changed();
}

/** From the beginning: another file, asked about again. */
export function checkAgain() {
  state.take.check = null;
  changed();
}

export function stopCheck() {
  state.take.check.stop.abort();
}

export function isChecking() {
  return ["making", "checking"].includes(state.take.check?.phase);
}

/** Those that were judged where some were, else all that are read; a sample of many. Where none has a photo, drawn ones. */
function picturesToAsk() {
  const judged = new Set(state.training.judgement?.verdicts.map(({ picture }) => picture?.id));
  const read = [...state.pictures.values()].filter((picture) => picture.classId !== null && picture.reading === "ready" && hasPhoto(picture));
  if (read.length === 0) return { asked: patterns(), of: 0, drawn: true };
  const chosen = read.filter(({ id }) => judged.has(id));
  const all = chosen.length > 0 ? chosen : read;
  return { asked: sampleOf(state.classes.map(({ id }) => all.filter(({ classId }) => classId === id))), of: all.length, drawn: false };
}

/** Whoever goes elsewhere has something else for the trainer to do: it is checked when they come back. */
export function giveWay() {
  if (state.step === "take" || !isChecking()) return;
  state.take.check.stop.abort();
  state.take.check = null;
}
