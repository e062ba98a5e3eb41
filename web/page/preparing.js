/** What a training with other settings needs of the pictures first: they are read again from their files, once. */

import { skip } from "./account.js";
import { opened } from "./packed_file.js";
import { hasPhoto } from "./pictures.js";
import { changed, moved, state } from "./state.js";
import { enqueue, labelOf } from "./trainer.js";
import { texts } from "./texts/texts.js";

/**
 * Brings the trainer to the layers that are to learn, and gives it the variants that are to be learnt from. Rejects when the signal stops it: the
 * trainer is as it was before, or has a part of the variants. `anew`: it forgets first what it has learnt.
 * @param {{ layers: string, augment?: { mirror?: boolean, crop?: boolean }, anew: boolean }} wanted @param {AbortSignal} signal
 */
export async function prepare({ layers, augment, anew }, signal) {
  if (anew) await enqueue(forget);
  if (layers) await enqueue((pt) => layers === pt.layers || readDeeper(pt, layers, signal));
  if (augment) await enqueue((pt) => lookAtVariants(pt, augment, signal));
  state.training.preparing = null;
}

/** Pictures and classes stay. */
async function forget(pt) {
  await pt.restore({ ...pt.contents, head: null });
  forgetResult();
}

function forgetResult() {
  Object.assign(state.training, { result: null, judgement: null });
}

/** What was learnt is gone then, and so are pictures whose files are. */
async function readDeeper(pt, layers, signal) {
  const pictures = trained();
  if (!pictures.every(hasPhoto)) throw new Error(texts.train.noPhotos);
  const report = await pt.setLayers(layers, itemsOf(pictures, signal), { signal, onProgress: progressOf("layers") });
  if (report.stopped) signal.throwIfAborted();
  forgetResult();
  state.featureBytes = pt.featureBytes;
  const lost = new Set(report.lost.map(({ key, label }) => `${key} ${label}`));
  for (const picture of pictures) if (lost.has(`${picture.key} ${labelOf(picture.classId)}`)) skip(picture, texts.reasons.unreadable);
  changed();
}

/** Pictures whose file can no longer be read are learnt from as they are. */
async function lookAtVariants(pt, augment, signal) {
  const { stopped } = await pt.augment(itemsOf(trained(), signal), { ...augment, signal, onProgress: progressOf("variants") });
  if (stopped) signal.throwIfAborted();
}

function trained() {
  return [...state.pictures.values()].filter(({ key, classId }) => key && classId !== null);
}

function itemsOf(pictures, signal) {
  return pictures.map(({ classId, file, key }) => ({ label: labelOf(classId), open: () => opened(file, signal), key }));
}

function progressOf(what) {
  return ({ done, total }) => {
    state.training.preparing = { what, done, total };
    moved();
  };
}
