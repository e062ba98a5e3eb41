/** Prints in the developer: each picture is as clear as the model is sure of it. */

import { h, keyed, place, setProperty } from "../elements.js";
import { isLearning } from "../learning.js";
import { state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { printOf } from "./frames.js";

const SHEETS = 56;

export function bath() {
  const list = h("ul", { class: "bath__tray" });
  const fill = keyed(list, (picture) => picture.id, sheet);
  const node = h("section", { class: "bath", "aria-labelledby": "h-bath" },
    h("h2", { class: "title title--s", id: "h-bath" }, texts.train.bath), h("p", { class: "text" }, texts.train.bathText), list);
  return {
    node,
    render() {
      const { sure } = state.training.progress ?? {};
      node.hidden = !isLearning() || !sure;
      if (!node.hidden) fill(some(sure));
    },
  };
}

/** Pictures of all classes in turn, as many as fit. */
function some(sure) {
  const learnt = [...state.pictures.values()].filter((picture) => picture.key in sure);
  const perClass = [...Map.groupBy(learnt, (picture) => picture.classId).values()];
  const longest = Math.min(SHEETS, Math.max(0, ...perClass.map(({ length }) => length)));
  const turns = Array.from({ length: longest }, (_, n) => perClass.map((pictures) => pictures[n]).filter(Boolean));
  return turns.flat().slice(0, SHEETS);
}

function sheet(picture) {
  const node = h("li", { class: "bath__sheet" });
  let shown;
  return {
    node,
    leave: () => forgetThumbnail(picture),
    render() {
      wantThumbnail(picture);
      const share = state.training.progress.sure[picture.key];
      setProperty(node, "--v", share.toFixed(2));
      if (picture.thumb !== shown) place(node, [printOf(picture)]);
      shown = picture.thumb;
      node.title = texts.train.sure(picture.name, share);
    },
  };
}
