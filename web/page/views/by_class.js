/** Recall and precision of each class, as counts. */

import { h, keyed, named, setProperty, setText } from "../elements.js";
import { nameAt } from "../judgement.js";
import { perClass } from "../judged/counts.js";
import { en } from "../texts/en.js";

export function byClass() {
  const rows = h("tbody");
  const fill = keyed(rows, ({ id }) => id, row);
  const column = ({ words, term }) => h("th", { scope: "col" }, words, " ", h("span", { class: "facts__term" }, term));
  const node = h("section", { class: "look__part", "aria-labelledby": "h-per-class" },
    h("h2", { class: "title title--s", id: "h-per-class" }, en.look.perClass),
    h("table", { class: "facts facts--class" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, en.look.class), column(en.look.recall), column(en.look.precision))), rows));
  return {
    node,
    /** @param {import("../state.js").Judgement} judgement */
    render(judgement) {
      fill(perClass(judgement.counts).map((rates, place) => ({ id: judgement.classes[place].id, name: nameAt(judgement, place), ...rates })));
    },
  };
}

function row() {
  const name = named("", { class: "clipped" });
  const [recall, precision] = [rate(en.look.noneJudged), rate(en.look.neverSaid)];
  return {
    node: h("tr", {}, h("th", { scope: "row" }, name), recall.node, precision.node),
    render({ name: text, right, own, said }) {
      setText(name, text);
      name.title = text;
      recall.render(right, own);
      precision.render(right, said);
    },
  };
}

function rate(none) {
  const level = h("span", { class: "level", "aria-hidden": "true" });
  const words = h("span");
  return {
    node: h("td", {}, level, words),
    render(right, all) {
      level.hidden = all === 0;
      setProperty(level, "--v", all === 0 ? "0" : (right / all).toFixed(3));
      setText(words, all === 0 ? none : en.look.of(right, all));
    },
  };
}
