/** Recall and precision of each class, as counts. */

import { h, hidden, keyed, named, setAttribute, setProperty, setText } from "../elements.js";
import { nameAt } from "../judgement.js";
import { perClass } from "../judged/counts.js";
import { texts } from "../texts/texts.js";
import { isOpen, opener } from "./matrix.js";

export function byClass() {
  const rows = h("tbody");
  const fill = keyed(rows, ({ id }) => id, row);
  const note = h("p", { class: "note" });
  const column = ({ words, term }) => h("th", { scope: "col" }, words, " ", h("span", { class: "facts__term" }, term));
  const node = h("section", { class: "look__part", "aria-labelledby": "h-per-class" },
    h("h2", { class: "title title--s", id: "h-per-class" }, texts.look.perClass), note,
    h("table", { class: "facts facts--class" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, texts.look.class), column(texts.look.recall), column(texts.look.precision))), rows));
  return {
    node,
    /** `opens`: the right pictures of a class open here, as there is no matrix. @param {import("../state.js").Judgement} judgement @param {boolean} opens */
    render(judgement, opens) {
      setText(note, opens ? `${texts.look.perClassNote} ${texts.look.perClassOpens}` : texts.look.perClassNote);
      fill(perClass(judgement.counts).map((rates, place) => ({ id: judgement.classes[place].id, name: nameAt(judgement, place), opens, ...rates })));
    },
  };
}

function row({ id }) {
  const name = named("", { class: "clipped" });
  const [recall, precision] = [rate(texts.look.noneJudged), rate(texts.look.neverSaid)];
  const cell = { truth: id, said: id };
  const [counted, which] = [h("span"), hidden("")];
  const button = opener(cell, "link", counted, which);
  recall.node.append(button);
  return {
    node: h("tr", {}, h("th", { scope: "row" }, name), recall.node, precision.node),
    render({ name: text, opens, right, own, said }) {
      setText(name, text);
      name.title = text;
      recall.render(right, own);
      precision.render(right, said);
      button.hidden = !opens || right === 0;
      recall.words.hidden = !button.hidden;
      setText(counted, texts.look.of(right, own));
      setText(which, ` ${texts.look.right(text)}`);
      setAttribute(button, "aria-expanded", String(isOpen(cell)));
    },
  };
}

function rate(none) {
  const level = h("span", { class: "level", "aria-hidden": "true" });
  const words = h("span");
  return {
    words,
    node: h("td", {}, level, words),
    render(right, all) {
      level.hidden = all === 0;
      setProperty(level, "--v", all === 0 ? "0" : (right / all).toFixed(3));
      setText(words, all === 0 ? none : texts.look.of(right, all));
    },
  };
}
