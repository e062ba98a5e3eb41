/** What it answered: the best class large, or "none of these", and a bar for each. */

import { h, keyed, named, setProperty, setText } from "../elements.js";
import { isNone, nameOf, state } from "../state.js";
import { texts } from "../texts/texts.js";

/** `render(result, live)`: with `live` the bars keep the order of the classes, so that only their lengths move. */
export function answerPart() {
  const top = h("span", { class: "display__name clipped" });
  const share = h("bdi", { class: "display__soft" });
  const title = h("h2", { class: "display display--answer" }, h("bdi", {}, top), " ", share);
  const text = h("p", { class: "text" });
  const list = h("ol", { class: "answers", "aria-label": texts.try.answers });
  const fill = keyed(list, ({ classId, label }) => classId ?? label, bar);
  const rule = h("span");
  const none = h("p", { class: "note answers__rule" }, rule, " ", h("a", { class: "link", href: "#look" }, texts.try.toLook));
  const node = h("div", { class: "try__answer" }, title, text, list, none);
  return {
    node,
    render(result, live) {
      const best = result?.answers?.[0];
      setText(top, best ? wordsOf(best) : !result ? texts.try.first : result.error ? texts.try.refusedTitle : texts.try.asking);
      setText(share, best && !isNone(best) ? texts.words.percent(best.probability) : "");
      title.classList.toggle("display--calm", !best);
      setText(text, result?.error ?? (isNone(best) ? texts.try.closest({ ...best, label: nameOf(best) }) : ""));
      text.hidden = text.textContent === "";
      fill(barsOf(result?.answers ?? [], best, live));
      list.hidden = none.hidden = !result?.answers;
      setText(rule, texts.try.noneBelow(state.none.below));
    },
  };
}

/** The class in words, as the heading and the list of tried pictures say it. */
export function wordsOf(best) {
  return isNone(best) ? texts.try.none : nameOf(best);
}

function barsOf(answers, best, live) {
  const place = new Map(state.classes.map(({ id }, index) => [id, index]));
  const sorted = live ? answers.toSorted((a, b) => place.get(a.classId) - place.get(b.classId)) : answers;
  return sorted.map((answer) => ({ ...answer, isTop: answer === best && !isNone(best) }));
}

function bar() {
  const name = named("", { class: "clipped" });
  const level = h("span", { class: "level", "aria-hidden": "true" });
  const number = h("bdi", { class: "answer__n" });
  const node = h("li", { class: "answer" }, name, level, number);
  return {
    node,
    render(answer) {
      const { probability, isTop } = answer;
      const { below } = state.none;
      node.classList.toggle("is-top", isTop);
      node.classList.toggle("has-limit", below !== null);
      setText(name, nameOf(answer));
      setProperty(level, "--v", probability.toFixed(4));
      if (below !== null) setProperty(level, "--limit", below.toFixed(4));
      setText(number, texts.words.percent(probability));
    },
  };
}
