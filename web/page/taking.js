/** The files a person takes away: what they are called, and saving them as a download. */

import { state } from "./state.js";
import { texts } from "./texts/texts.js";

/** A model is another one after training, with another value of "none of these", and after its classes got other names or numbers. */
export function editionOfModel() {
  return JSON.stringify([state.training.since, state.none.below, state.classes.map((one) => one.name)]);
}

export function save(blob, fileName) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** What files are called: what the person said, else the project's name. */
export function fileStem() {
  return stemOf(state.take.name) || defaultStem();
}

export function defaultStem() {
  return stemOf(state.keeping.project?.name ?? "") || texts.take.defaultStem;
}

/** A name that every file system takes: letters and digits of any script, one hyphen for everything between; empty where there are none. */
export function stemOf(name) {
  const letters = name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return [...letters].slice(0, 60).join("").toLowerCase();
}

/** The two models differ in what they take: who saves both keeps both. */
export function modelName() {
  return `${fileStem()}${state.take.pictureInput ? texts.take.pictureSuffix : ""}.onnx`;
}
