/** The advice, under its heading. */

import { advice } from "../advice.js";
import { h, icon, keyed, setText } from "../elements.js";
import { en } from "../texts/en.js";

export function hints() {
  const title = h("h2", { class: "title title--s", id: "h-advice" });
  const list = h("div");
  const fill = keyed(list, (one) => one.key, hint);
  const node = h("section", { class: "advice", "aria-labelledby": "h-advice" }, title, list);
  return {
    node,
    render() {
      const all = advice();
      node.hidden = all.length === 0;
      setText(title, en.advice.title(all.length));
      fill(all);
    },
  };
}

function hint() {
  const title = h("h3", { class: "hint__title" });
  const text = h("p");
  const node = h("article", { class: "hint" }, icon("alert"), h("div", { class: "hint__text" }, title, text));
  return {
    node,
    render(one) {
      setText(title, one.title);
      setText(text, one.text);
    },
  };
}
