/** How many pictures each class has, all classes against each other: bars with their numbers, and the same in words. */

import { extremes, filledClasses } from "../advice.js";
import { h, hidden, keyed, named, setProperty, setText } from "../elements.js";
import { counts, state } from "../state.js";
import { texts } from "../texts/texts.js";

/** More classes than that stand in columns, where there is room. */
const LONG = 10;

export function balance() {
  const text = h("p", { class: "text" });
  const list = h("ul", { class: "balance__list" });
  const fill = keyed(list, ({ id }) => id, bar);
  const node = h("section", { class: "balance", "aria-labelledby": "h-balance" }, h("h2", { class: "title title--s", id: "h-balance" }, texts.balance.title), text, list);
  return {
    node,
    render() {
      const filled = filledClasses();
      node.hidden = filled.length < 2;
      if (node.hidden) return;
      const [small, large] = extremes(filled);
      setText(text, small.n === large.n ? texts.balance.even(small.n) : texts.balance.apart(small.name, small.n, large.name, large.n));
      list.classList.toggle("is-long", state.classes.length > LONG);
      const perClass = counts();
      fill(state.classes.map(({ id, name }) => ({ id, name, n: perClass.get(id), share: perClass.get(id) / large.n })));
    },
  };
}

function bar() {
  const name = named("", { class: "clipped" });
  const level = h("span", { class: "level", "aria-hidden": "true" });
  const number = h("b", { class: "balance__n" });
  const word = hidden("");
  return {
    node: h("li", { class: "balance__row" }, name, level, h("span", {}, number, word)),
    render(one) {
      setText(name, one.name);
      setProperty(level, "--v", one.share.toFixed(3));
      setText(number, texts.words.number(one.n));
      setText(word, texts.balance.pictures(one.n));
    },
  };
}
