/** "Wrong?": the class that the person says a tried picture is of, and what came of it. */

import { addClass, classNamed, tidy } from "../classes.js";
import { correct, otherHolder, standingOf } from "../correcting.js";
import { h, setText } from "../elements.js";
import { isLearning, whyNot } from "../learning.js";
import { freeze } from "../live.js";
import { undo } from "../looking.js";
import { changed, findClass, isStale, state } from "../state.js";
import { shownTry } from "../tries.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";
import { NEW, renderOptions } from "./class_options.js";

export function correctionPart() {
  const select = h("select", { class: "field__box", id: "right-class", onchange: changed });
  const name = h("input", { class: "field__box", type: "text", maxlength: "100", autocomplete: "off", "aria-label": texts.try.newName, placeholder: texts.try.newName });
  const add = button(texts.try.correct, () => {}, { kind: "button--s" });
  add.type = "submit";
  const form = h("form", { class: "buttons", onsubmit: (event) => { event.preventDefault(); give(); } },
    h("span", { class: "text" }, texts.try.wrong), h("label", { class: "hidden", for: "right-class" }, texts.try.rightClass), select, name, add);
  const done = h("span", { class: "note" });
  const back = h("button", { class: "link", type: "button", onclick: () => undo(shownTry()?.added?.change ?? null) }, texts.look.undo);
  const where = h("a", { class: "link", href: "#collect" }, texts.try.whichIsRight);
  const said = h("p", { class: "buttons" }, done, where, back);
  const node = h("div", { class: "correction" }, said, form);
  let drawn;

  /** What the camera sees is held still for it. */
  function give() {
    if (!shownTry()) freeze();
    const result = shownTry();
    if (!result || ["reading", "in"].includes(standingOf(result))) return;
    const there = select.value === NEW ? classNamed(name.value) : findClass(Number(select.value));
    const owner = there ?? addClass(tidy(name.value) || undefined);
    name.value = "";
    correct(result, owner.id, !there);
  }

  return {
    node,
    /** @param {import("../state.js").Try | import("../state.js").Live | null} result @param {boolean} isLive */
    render(result, isLive) {
      node.hidden = !result?.answers;
      if (node.hidden) return;
      const hadFocus = node.contains(document.activeElement);
      const tried = isLive ? null : /** @type {import("../state.js").Try} */ (result);
      const standing = tried ? standingOf(tried) : "none";
      const isGiven = standing === "reading" || standing === "in";
      form.hidden = isGiven;
      said.hidden = standing === "none";
      if (!form.hidden) renderForm(tried, result.answers);
      if (!said.hidden) renderSaid(tried, standing);
      if (hadFocus && document.activeElement.closest("[hidden]")) (form.hidden ? back : add).focus({ preventScroll: true });
    },
  };

  function renderForm(tried, answers) {
    renderOptions(select, state.classes, { textOf: texts.try.itIs, newText: texts.try.itIsNew });
    if (drawn !== (tried?.id ?? NEW)) select.value = String(nextBest(answers)?.id ?? select.value);
    drawn = tried?.id ?? NEW;
    name.hidden = select.value !== NEW;
  }

  function renderSaid({ name: of, added: { picture, intake } }, standing) {
    const owner = findClass(picture.classId)?.name ?? texts.unsorted.title;
    const other = standing === "in" ? otherHolder(picture) : null;
    setText(done, { reading: texts.try.adding(owner), there: texts.try.there(of, owner), refused: intake.skipped[0]?.reason, in: other ? texts.try.inBoth(other.name) : whatCame(owner) }[standing]);
    where.hidden = !other;
    back.hidden = !form.hidden;
  }
}

function whatCame(owner) {
  const now = isLearning() ? texts.try.addedLearning : isStale() ? (whyNot() ?? texts.train.stale) : texts.try.addedLearnt;
  return `${texts.try.added(owner)} ${now}`;
}

/** Where its first answer is wrong the second one is likeliest. */
function nextBest(answers) {
  return findClass((answers[1] ?? answers[0]).classId);
}
