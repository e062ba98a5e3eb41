/** Mirrored and cropped variants of the pictures: what the model makes of them is found once, before the training that learns from them. */

import { moved, state } from "./state.js";
import { enqueue, labelOf } from "./trainer.js";

/**
 * Pictures whose file can no longer be read are learnt from as they are. Settles with whether the signal stopped it.
 * @param {{ mirror?: boolean, crop?: boolean }} augment @param {AbortSignal} signal
 */
export async function vary(augment, signal) {
  const pictures = [...state.pictures.values()].filter(({ key, classId }) => key && classId !== null);
  const onProgress = ({ done, total }) => {
    state.training.varying = { done, total };
    moved();
  };
  const { stopped } = await enqueue((pt) => pt.augment(pictures.map(({ classId, file, key }) => ({ label: labelOf(classId), file, key })), { ...augment, signal, onProgress }));
  state.training.varying = null;
  return stopped;
}
