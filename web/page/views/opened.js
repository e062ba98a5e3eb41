/** The pictures of one opened cell, the most surprising first, and what can be done with each. */

import { h, icon, keyed, place, setText } from "../elements.js";
import { nameAt, stands } from "../judgement.js";
import { moveThere, open, takeOut } from "../looking.js";
import { changed, findClass, state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { printOf } from "./frames.js";
import { cellButton } from "./matrix.js";
import { act, leaving } from "./proofs.js";

const STEP = 24;

export function opened() {
  let shown = STEP;
  let before = null;
  const title = h("h3", { class: "title title--s", id: "h-cell", tabindex: "-1" });
  const list = h("ul", { class: "opened__prints" });
  const more = h("button", { class: "link", type: "button", onclick: () => { shown += STEP; changed(); } });
  const note = h("p", { class: "note" });
  const node = h("section", { class: "opened", "aria-labelledby": "h-cell", onkeydown: (event) => event.key === "Escape" && close() },
    h("div", { class: "opened__head" }, title, h("button", { class: "tool", type: "button", onclick: close }, icon("cross"), texts.page.close)), list, more, note);
  const fill = leaving(list, title, keyed(list, ({ verdict }) => verdict.picture.id, print));

  function close() {
    const cell = state.look.open;
    open(null);
    (cellButton(cell) ?? document.getElementById("main")).focus();
  }

  /** @param {import("../state.js").Judgement} judgement */
  function render(judgement) {
    const [truth, said] = [state.look.open?.truth, state.look.open?.said].map((id) => judgement.classes.findIndex((one) => one.id === id));
    node.hidden = truth < 0 || said < 0;
    if (node.hidden) before = null;
    else renderCell(judgement, truth, said);
  }

  function renderCell(judgement, truth, said) {
    const inside = judgement.verdicts.filter((verdict) => verdict.truth === truth && verdict.said === said && stands(judgement, verdict)).sort((a, b) => b.loss - a.loss);
    const [first, second] = [nameAt(judgement, truth), nameAt(judgement, said)];
    setText(title, texts.look.opened(truth === said ? texts.look.right(first) : texts.look.wrong(first, second), inside.length));
    node.classList.toggle("opened--right", truth === said);
    fill(inside.slice(0, shown).map((verdict) => ({ judgement, verdict })));
    more.hidden = inside.length <= shown;
    setText(more, texts.look.more(Math.min(STEP, inside.length - shown)));
    setText(note, inside.length > 0 ? texts.look.changeTakes(state.training.result.took) : texts.look.emptied);
    const now = `${judgement.classes[truth].id} ${judgement.classes[said].id}`;
    if (now !== before) arrive();
    before = now;
  }

  function arrive() {
    shown = STEP;
    title.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
  }

  return { node, render };
}

function print({ verdict: { picture } }) {
  const photo = h("div", { class: "print__picture" });
  const [said, other] = [h("span", { class: "print__line" }), h("span", { class: "print__line" })];
  const name = () => picture.name;
  const move = act(name);
  const away = act(name);
  let classId;
  move.node.addEventListener("click", () => moveThere(picture, classId));
  away.node.addEventListener("click", () => takeOut(picture));
  const node = h("li", { class: "print" }, photo, h("p", { class: "print__text" }, said, other), h("p", { class: "print__tools" }, move.node, away.node));
  let drawn;
  return {
    node,
    leave: () => forgetThumbnail(picture),
    render({ judgement, verdict }) {
      wantThumbnail(picture);
      if (picture.thumb !== drawn || !photo.firstChild) place(photo, [printOf(picture, picture.name)]);
      drawn = picture.thumb;
      const isRight = verdict.truth === verdict.said;
      classId = judgement.classes[verdict.rival].id;
      setText(said, texts.look.share(nameAt(judgement, verdict.said), verdict.sure));
      setText(other, isRight ? texts.look.share(nameAt(judgement, verdict.rival), verdict.chance) : texts.look.share(nameAt(judgement, verdict.truth), verdict.own));
      move.node.hidden = !findClass(classId); // it may be gone since
      move.write(texts.look.move(nameAt(judgement, verdict.rival)));
      away.write(texts.look.takeOut);
    },
  };
}
