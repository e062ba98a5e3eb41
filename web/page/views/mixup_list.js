/** Mix-ups as a list, where there are too many classes for a matrix. */

import { h, keyed, setAttribute, setText } from "../elements.js";
import { nameAt } from "../judgement.js";
import { mixups } from "../judged/counts.js";
import { changed } from "../state.js";
import { texts } from "../texts/texts.js";
import { isOpen, opener, ring } from "./matrix.js";

const STEP = 15;

export function mixupList() {
  let shown = STEP;
  const note = h("p", { class: "note" });
  const list = h("ol", { class: "mixups" });
  const more = h("button", { class: "link", type: "button", onclick: () => { shown += STEP; changed(); } });
  const fill = keyed(list, ({ key }) => key, row);
  const node = h("div", { class: "look__table" }, note, list, more);
  return {
    node,
    /** @param {import("../state.js").Judgement} judgement */
    render(judgement) {
      const all = mixups(judgement.counts);
      setText(note, all.length > 0 ? texts.look.listNote : texts.look.noMixups);
      fill(all.slice(0, shown).map((pair) => describe(judgement, pair)));
      more.hidden = all.length <= shown;
      setText(more, texts.look.moreMixups(Math.min(STEP, all.length - shown)));
    },
  };
}

function describe(judgement, { truth, said, n }) {
  const ids = { truth: judgement.classes[truth].id, said: judgement.classes[said].id };
  return { key: `${ids.truth} ${ids.said}`, ids, n, words: texts.look.wrong(nameAt(judgement, truth), nameAt(judgement, said)) };
}

function row({ ids }) {
  const number = h("span", { class: "mixup__n" });
  const words = h("span", { class: "mixup__words" });
  const button = opener(ids, "mixup", h("span", { class: "cell cell--wrong" }, number, ring()), words);
  return {
    node: h("li", {}, button),
    render({ n, words: text }) {
      setText(number, String(n));
      setText(words, text);
      setAttribute(button, "aria-expanded", String(isOpen(ids)));
    },
  };
}
