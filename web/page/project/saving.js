/** The page's work as a file to take away: the whole project, or what was learnt alone. */

import { askTwice } from "../../shared/ask_twice.js";
import { nameAt } from "../judgement.js";
import { opened } from "../packed_file.js";
import { hasPhoto } from "../pictures.js";
import { findClass, isStale, state } from "../state.js";
import { enqueue, labelOf } from "../trainer.js";

/**
 * The project, with photos or without; `left`: photos that can no longer be read, and so are not in it.
 * @param {boolean} withPhotos @returns {Promise<{ blob: Blob, left: number }>}
 */
export function projectBlob(withPhotos) {
  return enqueue(async (pt) => {
    const pictures = [];
    let left = 0;
    for (const picture of state.pictures.values()) {
      const file = withPhotos ? await photoOf(picture) : null;
      if (withPhotos && file === null && hasPhoto(picture)) left += 1;
      pictures.push(entryOf(picture, file));
    }
    const { settings } = state.training;
    const told = { name: state.keeping.project?.name ?? state.take.name, pictures, settings, training: trainingNow(), noneBelowChosen: state.none.chosen };
    return { blob: await askTwice(() => pt.saveProject(told)), left };
  });
}

/** What was learnt alone. @returns {Promise<Blob>} */
export function deltaBlob() {
  return enqueue((pt) => askTwice(() => pt.saveDelta()));
}

/** What a photo has, checked by its first byte; null for one that is gone, or was never there. */
async function photoOf(picture) {
  if (!hasPhoto(picture)) return null;
  try {
    const photo = await opened(picture.file);
    await photo.slice(0, 1).arrayBuffer();
    return photo;
  } catch {
    return null;
  }
}

/** @param {import("../state.js").Picture} picture @param {Blob | null} file */
function entryOf({ key, name, classId, confirmed }, file) {
  return { key: key ?? undefined, label: classId === null ? null : labelOf(classId), name, file, confirmed: confirmed !== undefined && confirmed !== null && confirmed === classId };
}

/** What the last training told, under the names that classes have now; null if nothing is known of one. */
function trainingNow() {
  const { result, judgement, curves } = state.training;
  if (!result || curves.length === 0) return null;
  const labels = [...result.learnt].map((id) => findClass(id)?.name).filter((name) => name !== undefined);
  const last = curves.at(-1);
  return {
    labels, stale: isStale(), took: result.took, bestEpoch: result.best, folds: result.folds, stopped: result.stopped,
    trainCount: last.trainCount, validationCount: last.validationCount, epochs: curves, judged: judgement ? judgedNow(judgement) : undefined,
  };
}

/** @param {import("../state.js").Judgement} judgement */
function judgedNow(judgement) {
  const { judged, verdicts } = judgement;
  const labels = judged.labels.map((_, place) => nameAt(judgement, place));
  const pictures = verdicts.map(({ index, truth }) => ({ key: judged.pictures[index].key, label: labels[truth] }));
  return { labels, pictures, probabilities: judged.probabilities };
}
