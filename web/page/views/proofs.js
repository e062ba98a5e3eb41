/** "Check these": pictures where it disagrees with the person, and behind them those where it was right but unsure. */

import { h, keyed, place, setAttribute, setText } from "../elements.js";
import { nameAt, stands } from "../judgement.js";
import { disagreements, unsure } from "../judged/verdicts.js";
import { confirm, moveThere, takeOut } from "../looking.js";
import { changed, findClass, state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { printOf } from "./frames.js";
import { ring } from "./matrix.js";

const FIRST = 4;
const STEP = 8;

export function proofs() {
  const wrong = proofList(FIRST);
  const right = proofList(STEP);
  const title = h("h2", { class: "title title--s", id: "h-check", tabindex: "-1" });
  const note = h("p", { class: "note" });
  const rightTitle = h("h3", { class: "title title--s", id: "h-unsure", tabindex: "-1" }, texts.look.unsure);
  const rightPart = h("section", { class: "look__part", "aria-labelledby": "h-unsure", hidden: true }, rightTitle, h("p", { class: "note" }, texts.look.unsureNote), right.node);
  const show = h("button", { class: "link", type: "button", onclick: () => { rightPart.hidden = false; changed(); rightTitle.focus(); } }, texts.look.showUnsure);
  const node = h("section", { class: "look__part", "aria-labelledby": "h-check" }, title, note, wrong.node, show, rightPart);
  wrong.leaveTo(title);
  right.leaveTo(rightTitle);
  const [inOrder, inOrderToo] = [steady(), steady()];
  return {
    node,
    /** @param {import("../state.js").Judgement} judgement */
    render(judgement) {
      const open = (verdict) => stands(judgement, verdict) && verdict.picture.confirmed !== verdict.picture.classId;
      const fresh = !node.isConnected || !state.training.quiet;
      const all = disagreements(judgement.verdicts);
      const left = inOrder(all.filter(open), fresh);
      setText(title, texts.look.check(left.length));
      setText(note, left.length > 0 ? texts.look.checkNote : all.length > 0 ? texts.look.decided : texts.look.agrees);
      wrong.render(judgement, left);
      const doubtful = inOrderToo(unsure(judgement.verdicts).filter(open), fresh);
      show.hidden = !rightPart.hidden || wrong.hasMore() || doubtful.length === 0;
      if (!rightPart.hidden) right.render(judgement, doubtful);
    },
  };
}

/**
 * Keeps pictures in their places while the person works through them, so that no other one slips under the hand: after a training in the
 * background those that were there keep their order, those that come back get their place back, and others follow.
 */
function steady() {
  const places = new Map();
  return (verdicts, fresh) => {
    if (fresh) places.clear();
    for (const { picture } of verdicts) if (!places.has(picture.id)) places.set(picture.id, places.size);
    return [...verdicts].sort((a, b) => places.get(a.picture.id) - places.get(b.picture.id));
  };
}

function proofList(first) {
  let shown = first;
  let total = 0;
  let fill;
  const list = h("ol", { class: "proofs" });
  const more = h("button", { class: "link", type: "button", onclick: showMore });
  const hasMore = () => total > shown;

  function showMore() {
    const from = shown;
    shown += STEP;
    changed();
    requestAnimationFrame(() => requestAnimationFrame(() => list.children[from]?.querySelector("button").focus()));
  }

  return {
    node: h("div", { class: "proofs-box" }, list, more),
    hasMore,
    leaveTo: (heading) => { fill = leaving(list, heading, keyed(list, ({ verdict }) => verdict.picture.id, proof)); },
    render(judgement, verdicts) {
      total = verdicts.length;
      fill(verdicts.slice(0, shown).map((verdict) => ({ judgement, verdict })));
      more.hidden = !hasMore();
      setText(more, texts.look.more(Math.min(STEP, total - shown)));
    },
  };
}

/** Fills a list so that the focus, where it was on something that goes, is on what took its place, or on the heading. */
export function leaving(list, heading, fill) {
  return (items) => {
    const at = [...list.children].findIndex((child) => child.contains(document.activeElement));
    fill(items);
    if (at < 0 || list.contains(document.activeElement)) return;
    (list.children[Math.min(at, list.children.length - 1)]?.querySelector("button:not([hidden])") ?? heading).focus();
  };
}

/** A small action on one picture, which its name says to those who hear the page. */
export function act(nameOf) {
  const node = h("button", { class: "tool", type: "button" });
  return {
    node,
    write(text) {
      setText(node, text);
      setAttribute(node, "aria-label", texts.look.about(text, nameOf()));
    },
  };
}

function proof({ verdict: { picture } }) {
  const print = h("figure", { class: "proof__print" });
  const [mark, yours, its] = [ring(), h("b"), h("b")];
  const [says, share, then, chance] = [h("span"), h("span"), h("span"), h("span")];
  const rival = h("b");
  const [before, after] = texts.look.said;
  const tools = [act(() => picture.name), act(() => picture.name), act(() => picture.name)];
  const [move, keep, away] = tools;
  let classId;
  move.node.addEventListener("click", () => moveThere(picture, classId));
  keep.node.addEventListener("click", () => confirm(picture));
  away.node.addEventListener("click", () => takeOut(picture));
  const node = h("li", { class: "proof" }, print,
    h("div", { class: "proof__text" }, h("p", {}, h("span", {}, before), h("bdi", {}, yours), h("span", {}, after), h("br"), says, h("bdi", {}, its), share, then, h("bdi", {}, rival), chance), h("p", { class: "proof__tools" }, tools.map((tool) => tool.node))));
  let drawn;
  return {
    node,
    leave: () => forgetThumbnail(picture),
    render({ judgement, verdict }) {
      wantThumbnail(picture);
      const isRight = verdict.truth === verdict.said;
      const now = `${picture.thumb} ${isRight}`;
      if (now !== drawn) place(print, [printOf(picture, picture.name), !isRight && mark]);
      drawn = now;
      classId = judgement.classes[verdict.rival].id;
      setText(yours, nameAt(judgement, verdict.truth));
      setText(its, nameAt(judgement, verdict.said));
      const [start, end] = texts.look.says(verdict.sure);
      setText(says, start);
      setText(share, end);
      const [next, stop] = isRight ? texts.look.then(verdict.chance) : ["", ""];
      setText(then, next);
      setText(rival, isRight ? nameAt(judgement, verdict.rival) : "");
      setText(chance, stop);
      move.node.hidden = !findClass(classId); // it may be gone since
      move.write(texts.look.move(nameAt(judgement, verdict.rival)));
      keep.write(texts.look.confirm);
      away.write(texts.look.takeOut);
    },
  };
}
