/** Step 4: what it says about pictures it has not seen. */

import { h, icon, keyed, named, place, setAttribute, setProperty, setText } from "../elements.js";
import { lookThroughPicked } from "../listing.js";
import { changed, isStale, isTrained, state } from "../state.js";
import { wantThumbnail } from "../thumbnails.js";
import { shownTry, tryOut } from "../tries.js";
import { en } from "../texts/en.js";
import { percent } from "../texts/words.js";
import { button, nextBar, picker } from "./buttons.js";
import { printOf } from "./frames.js";
import { untrained } from "./untrained.js";

const PRINT_SIDE = 480;
const SHOWN = 60;

export function tryStep(go) {
  const before = untrained();
  const big = bigPrint();
  const answer = answerPart();
  const earlier = earlierPart();
  const drop = dropPart();
  const title = h("h1", { class: "hidden", tabindex: "-1" }, en.try.title);
  const stale = h("p", { class: "note note--stale" }, en.train.stale);
  const grid = h("section", { class: "try" }, h("div", { class: "try__left" }, big.node, drop.node), h("div", { class: "try__right" }, answer.node, stale, earlier.node));
  const next = nextBar();
  const node = h("div", { class: "screen" });
  return {
    node,
    render() {
      place(node, isTrained() ? [title, grid, next.node] : [before]);
      const shown = shownTry();
      grid.classList.toggle("try--first", shown === null);
      big.render(shown);
      drop.render(shown !== null);
      answer.render(shown);
      earlier.render();
      stale.hidden = !isStale();
      next.node.hidden = !state.tries.results.some((result) => result.answers);
      next.render({ bold: en.try.next, text: en.try.nextText, label: en.try.take, act: () => go("take") });
    },
  };
}

function dropPart() {
  const title = h("p", { class: "drop__title" });
  const text = h("p", { class: "drop__text" }, en.try.firstText);
  const choose = button(en.try.choose, () => {}, { kind: "button--s" });
  const node = h("div", { class: "drop drop--s" }, title, text,
    h("p", { class: "buttons" }, picker(choose, (files) => lookThroughPicked(files, tryOut), { label: en.try.title })));
  return {
    node,
    render(another) {
      setText(title, another ? en.try.another : en.opening.drop);
      text.hidden = another;
      node.classList.toggle("drop--s", another);
      choose.classList.toggle("button--s", another);
      choose.classList.toggle("button--next", !another);
    },
  };
}

function bigPrint() {
  const place_ = h("div", { class: "big-print__picture" });
  const caption = h("figcaption", { class: "edge clipped" });
  const node = h("figure", { class: "big-print" }, place_, caption);
  let drawn = null;
  return {
    node,
    render(result) {
      node.hidden = result === null;
      if (!result) return;
      wantThumbnail(result, PRINT_SIDE);
      setText(caption, en.try.caption(result.name, result.took));
      const now = `${result.id} ${result.thumb}`;
      if (now !== drawn) place_.replaceChildren(printOf(result, en.try.alt(result.name)));
      drawn = now;
    },
  };
}

function answerPart() {
  const top = h("span", { class: "display__name clipped" });
  const share = h("span", { class: "display__soft" });
  const title = h("h2", { class: "display display--answer" }, h("bdi", {}, top), " ", share);
  const text = h("p", { class: "text" });
  const list = h("ol", { class: "answers", "aria-label": en.try.answers });
  const fill = keyed(list, ({ label }) => label, bar);
  const node = h("div", { class: "try__answer" }, title, text, list);
  return {
    node,
    render(result) {
      const best = result?.answers?.[0];
      setText(top, best ? best.label : !result ? en.try.first : result.error ? en.try.refusedTitle : en.try.asking);
      setText(share, best ? percent(best.probability) : "");
      title.classList.toggle("display--calm", !best);
      setText(text, result?.error ?? "");
      text.hidden = !result?.error;
      fill(result?.answers ?? []);
      list.hidden = !result?.answers;
    },
  };
}

function bar() {
  const name = named("", { class: "clipped" });
  const level = h("span", { class: "level", "aria-hidden": "true" });
  const number = h("span", { class: "answer__n" });
  const node = h("li", { class: "answer" }, name, level, number);
  return {
    node,
    render({ label, probability }, index) {
      node.classList.toggle("is-top", index === 0);
      setText(name, label);
      setProperty(level, "--v", probability.toFixed(4));
      setText(number, percent(probability));
    },
  };
}

/** The pictures tried so far, newest first, some at a time; each opens large. */
function earlierPart() {
  let shown = SHOWN;
  let goesOn = null; // where, as soon as it is there
  const list = h("ul", { class: "tried" });
  const more = h("button", { class: "link", type: "button", onclick: () => { goesOn = shown; shown += SHOWN; changed(); } });
  const fill = keyed(list, ({ id }) => id, tried);
  const node = h("section", { class: "earlier", "aria-labelledby": "h-earlier" }, h("h2", { class: "title title--s", id: "h-earlier" }, en.try.earlier), list, more);
  return {
    node,
    render() {
      const { results } = state.tries;
      node.hidden = results.length < 2;
      fill(results.slice(0, shown));
      more.hidden = results.length <= shown;
      setText(more, en.report.more(Math.min(SHOWN, results.length - shown)));
      if (goesOn !== null) list.children[goesOn]?.querySelector("button").focus();
      goesOn = null;
    },
  };
}

function tried(result) {
  const print = h("span", { class: "tried__print" });
  const name = named(result.name, { class: "tried__name clipped" });
  const label = named("", { class: "tried__label clipped" });
  const share = h("span", { class: "tried__share" });
  const show = () => { state.tries.shown = result.id; changed(); };
  const node = h("li", {}, h("button", { class: "tried__button", type: "button", onclick: show }, print, h("span", { class: "tried__words" }, label, share, name)));
  let drawn = "";
  return {
    node,
    render() {
      wantThumbnail(result, PRINT_SIDE);
      const best = result.answers?.[0];
      setText(label, best?.label ?? (result.error ? en.try.refusedTitle : en.try.asking));
      setText(share, best ? percent(best.probability) : "");
      setAttribute(node.firstChild, "aria-current", state.tries.shown === result.id ? "true" : null);
      node.classList.toggle("is-bad", result.error !== null);
      const now = `${result.thumb} ${result.error !== null}`;
      if (now !== drawn) print.replaceChildren(result.thumb ? printOf(result) : result.error ? icon("cross") : kindOf(result.name));
      drawn = now;
    },
  };
}

/** What stands for a picture that the browser cannot show: "TIFF". */
function kindOf(name) {
  return named(name.split(".").at(-1).slice(0, 5).toUpperCase(), { class: "edge" });
}
