/** Step 4: what it says about pictures it has not seen. */

import { h, place, setText } from "../elements.js";
import { isLearning } from "../learning.js";
import { lookThroughPicked } from "../listing.js";
import { beginLive } from "../live.js";
import { isStale, isTrained, state } from "../state.js";
import { wantThumbnail } from "../thumbnails.js";
import { shownTry, tryOut } from "../tries.js";
import { texts } from "../texts/texts.js";
import { answerPart } from "./answer.js";
import { button, nextBar, picker } from "./buttons.js";
import { correctionPart } from "./correction.js";
import { printOf } from "./frames.js";
import { livePart } from "./live.js";
import { nearPart } from "./near.js";
import { triedPart } from "./tried.js";
import { untrained } from "./untrained.js";

const PRINT_SIDE = 480;

export function tryStep(go) {
  const before = untrained();
  const big = bigPrint();
  const answer = answerPart();
  const near = nearPart();
  const correction = correctionPart();
  const earlier = triedPart();
  const drop = dropPart();
  const live = livePart(() => drop.focusCamera());
  const title = h("h1", { class: "hidden", tabindex: "-1" }, texts.try.title);
  const stale = h("p", { class: "note note--stale" });
  const grid = h("section", { class: "try" }, h("div", { class: "try__left" }, big.node, live.node, drop.node), h("div", { class: "try__right" }, answer.node, near.node, correction.node, stale, earlier.node));
  const next = nextBar();
  const node = h("div", { class: "screen" });
  return {
    node,
    render() {
      place(node, isTrained() ? [title, grid, next.node] : [before.node]);
      before.render();
      const shown = shownTry();
      const [running, usesCamera] = [state.tries.live, state.camera.use === "try"];
      grid.classList.toggle("try--first", shown === null && !usesCamera);
      grid.classList.toggle("try--live", usesCamera);
      big.render(shown);
      drop.render(shown !== null || usesCamera, usesCamera);
      live.render(usesCamera, running !== null || shown === null);
      answer.render(shown ?? running, running !== null);
      near.render(shown);
      correction.render(shown ?? running, shown === null);
      earlier.render();
      stale.hidden = !isStale() || isLearning();
      setText(stale, state.classes.length === 1 ? texts.try.oneClass : texts.train.stale);
      next.node.hidden = !state.tries.results.some((result) => result.answers);
      next.render({ bold: texts.try.next, text: texts.try.nextText, label: texts.try.take, act: () => go("take") });
    },
  };
}

function dropPart() {
  const title = h("p", { class: "drop__title" });
  const text = h("p", { class: "drop__text" }, texts.try.firstText);
  const choose = button(texts.try.choose, () => {}, { kind: "button--s" });
  const camera = button(texts.try.camera, beginLive, { kind: "button--s", before: "camera" });
  const node = h("div", { class: "drop drop--s" }, title, text,
    h("p", { class: "buttons" }, picker(choose, (files) => lookThroughPicked(files, tryOut), { label: texts.try.title }), camera));
  return {
    node,
    focusCamera: () => camera.focus(),
    render(another, usesCamera) {
      camera.hidden = usesCamera;
      setText(title, another ? texts.try.another : texts.opening.drop);
      text.hidden = another;
      node.classList.toggle("drop--s", another);
      for (const act of [choose, camera]) act.classList.toggle("button--s", another);
      choose.classList.toggle("button--next", !another);
    },
  };
}

function bigPrint() {
  const place_ = h("div", { class: "big-print__picture" });
  const caption = h("figcaption", { class: "edge" });
  const node = h("figure", { class: "big-print" }, place_, caption);
  let drawn = null;
  return {
    node,
    render(result) {
      node.hidden = result === null;
      if (!result) return;
      wantThumbnail(result, PRINT_SIDE);
      setText(caption, texts.try.caption(result.name, result.took));
      const now = `${result.id} ${result.thumb}`;
      if (now !== drawn) place_.replaceChildren(printOf(result, texts.try.alt(result.name)));
      drawn = now;
    },
  };
}
