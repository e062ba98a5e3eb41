/** After the model was taken: where it is, what it can be used for, and what comes next. */

import { h, keyed, place, setText } from "../elements.js";
import { newProject } from "../keeping/keeper.js";
import { saveProject } from "../project/save_part.js";
import { snippetPart } from "../snippets/view.js";
import { picturesOf, state } from "../state.js";
import { fileStem } from "../taking.js";
import { texts } from "../texts/texts.js";
import { wantThumbnail } from "../thumbnails.js";
import { button } from "./buttons.js";
import { printOf } from "./frames.js";

/** Of the contact sheet: classes, and pictures of each. */
const STRIPS = 4;
const FRAMES = 6;

/** @param {(step: string) => void} go */
export function done(go) {
  const words = texts.done;
  const text = h("p", { class: "text" });
  const another = button(words.another, async () => { if (await newProject()) go("collect"); else go("projects"); }, { kind: "button--next", after: "arrow" });
  const facts = [h("li"), h("li"), h("li")];
  const sheet = contactSheet();
  const run = snippetPart();
  const keep = saveProject({ label: texts.work.goSave, stem: fileStem, kind: "button--s" });
  const node = h("div", { class: "screen" },
    h("section", { class: "done" },
      h("div", { class: "done__head" }, h("h1", { class: "display", tabindex: "-1" }, words.title), text,
        h("p", { class: "buttons" }, another, button(words.back, () => go("take"))), h("ul", { class: "plain" }, facts)),
      sheet.node),
    h("section", { class: "uses", "aria-labelledby": "h-uses" }, h("h2", { class: "title", id: "h-uses" }, words.uses),
      h("ul", { class: "uses__list" }, words.useFor.map((one) => use(one)), use(words.goOn, h("p", { class: "buttons" }, keep.act), keep.told, keep.fault))),
    run.node);
  return {
    node,
    render() {
      const { taken } = state.take;
      if (!taken) return; // another project, just now
      const { outcome, fileName } = taken;
      setText(text, words.text(fileName, outcome));
      [words.learnt(outcome, state.pictures.size, state.training.result), words.requests(state.seal), words.stays(state.keeping.phase)].forEach((fact, index) => setText(facts[index], fact));
      sheet.render();
      keep.render();
      run.render({ ...outcome, file: fileName });
    },
  };
}

function use({ name, text }, ...more) {
  return h("li", { class: "use" }, h("h3", { class: "title title--s" }, name), h("p", { class: "text" }, text), ...more);
}

/** A strip of each of the first classes; only to be looked at. */
function contactSheet() {
  const node = h("div", { class: "done__sheet", "aria-hidden": "true" });
  const fill = keyed(node, ({ id }) => id, () => {
    const list = h("ul", { class: "strip" });
    const frames = keyed(list, (picture) => picture.id, frame);
    return { node: list, render: ({ id }) => frames(picturesOf(id).slice(0, FRAMES)) };
  });
  return { node, render: () => fill(state.classes.filter(({ id }) => picturesOf(id).length > 0).slice(0, STRIPS)) };
}

function frame() {
  const print = h("span", { class: "frame" });
  let shown;
  return {
    node: h("li", {}, print),
    render(picture) {
      wantThumbnail(picture);
      if (picture.thumb === undefined || picture.thumb === shown) return;
      shown = picture.thumb;
      place(print, [printOf(picture)]);
    },
  };
}
