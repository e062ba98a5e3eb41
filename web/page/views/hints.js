/** The advice, under its heading: at most three things at once, each with its answers, none moving while somebody points at it. */

import { advice, arrange } from "../advice.js";
import { h, icon, keyed, setIcon, setText } from "../elements.js";
import { waitingCount } from "../reading.js";
import { changed, isStale, isTrained } from "../state.js";
import { texts } from "../texts/texts.js";
import { answers } from "./answers.js";
import { groups } from "./groups.js";

export function hints() {
  const title = h("h2", { class: "title title--s", id: "h-advice", tabindex: "-1" });
  const list = h("div");
  const later = h("p", { class: "note" });
  const fill = keyed(list, (one) => one.key, hint);
  const node = h("section", { class: "advice", "aria-labelledby": "h-advice", onpointerleave: changed, onfocusout: changed }, title, list, later);
  let shown = [];
  return {
    node,
    /** To here, for the last word of the screen; null when nothing waits for an answer, or what comes next is no training. */
    link: () => (openOnes(shown) > 0 && (!isTrained() || isStale()) ? { text: texts.advice.link(openOnes(shown)), act: () => title.focus() } : null),
    render() {
      const all = advice();
      shown = arrange(shown.map(({ key }) => key), all, { held: node.matches(":hover, :focus-within"), reading: waitingCount() > 0 });
      node.hidden = shown.length === 0;
      setText(title, texts.advice.title(openOnes(shown), isTrained(), isStale()));
      fill(shown);
      const more = openOnes(all) - openOnes(shown);
      setText(later, more > 0 ? texts.advice.later(more) : "");
    },
  };
}

function openOnes(some) {
  return some.filter(({ isOpen }) => isOpen).length;
}

function hint(one) {
  const title = h("h3", { class: "hint__title" });
  const text = h("p");
  const row = answers();
  const pictures = groups();
  const mark = icon(one.icon);
  const node = h("article", { class: "hint" }, mark, h("div", { class: "hint__text" }, title, text), row.node, pictures.node);
  return {
    node,
    render(now) {
      setIcon(mark, now.isOpen ? now.icon : "check");
      setText(title, now.title);
      setText(text, now.done?.text ?? now.text);
      row.render(now);
      pictures.render(now.groups);
    },
  };
}
