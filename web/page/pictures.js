/** Pictures that stand on the page: putting them there, moving them, taking them out. */

import { changed, newId, picturesOf, state } from "./state.js";
import { forgetThumbnail } from "./thumbnails.js";
import { labelOf, tell } from "./trainer.js";

/** @param {import("./drops.js").Found} found @returns {import("./state.js").Picture} */
export function put({ file, group }, classId, intake) {
  const picture = /** @type {import("./state.js").Picture} */ ({ id: newId(), name: file.name, file, group, classId, reading: "waiting", key: null, intake, thumb: undefined });
  state.pictures.set(picture.id, picture);
  return picture;
}

/** Whether there is a photo to read: a project may have been saved without. @param {import("./state.js").Picture} picture */
export function hasPhoto({ file }) {
  return file.size > 0;
}

/** Takes pictures out of the page; `everywhere`: also out of the trainer (not needed when their whole class goes). */
export function drop(pictures, everywhere = true) {
  for (const picture of pictures) {
    discard(picture);
    if (picture.classId !== null) state.edition += 1;
    if (everywhere && picture.reading !== "waiting") untell(picture);
  }
  changed();
}

/** Takes a picture from the trainer, also one that it is reading just now; unless it is back where it was before that is read. */
export function untell(picture) {
  const { classId } = picture;
  const isBack = () => state.pictures.has(picture.id) && picture.reading === "ready" && picture.classId === classId;
  tellOf(picture, (pt, key) => isBack() || pt.remove({ key, label: labelOf(classId) }));
}

/** Takes a picture that the trainer does not hold out of the page. */
export function discard(picture) {
  state.pictures.delete(picture.id);
  state.selected.delete(picture.id);
  picture.intake.open.delete(picture);
  forgetThumbnail(picture);
}

/** Moves pictures that the trainer has read. It keeps their features, so nothing is computed again. */
export function move(pictures, classId) {
  const there = new Set(picturesOf(classId).map(({ key }) => key));
  for (const picture of pictures) {
    const from = picture.classId;
    picture.classId = classId;
    state.selected.delete(picture.id);
    if (from === classId || picture.reading === "waiting") continue;
    tellOf(picture, (pt, key) => pt.move({ key, from: labelOf(from), to: labelOf(classId) }));
    if (picture.key && there.has(picture.key)) drop([picture], false); // its twin stays
    else there.add(picture.key);
  }
  state.edition += 1;
  changed();
}

/** What is said of a picture means the one of now, whatever becomes of it until the trainer hears it; one that is being read has its key only then. */
function tellOf(picture, job) {
  const { key } = picture;
  tell((pt) => {
    const now = key ?? picture.key ?? picture.readKey; // it may be out and back in line by then
    return now && job(pt, now);
  });
}
