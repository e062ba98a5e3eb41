/** What a person has to know about the keeping of their work, above every step; each only as long as it is so. */

import { h, icon, place, setText } from "../elements.js";
import { forgetInterruption, forgetOther, keepAgain, listProjects, nameNow, silence, waitForOther } from "../keeping/keeper.js";
import { learn, whyNot } from "../learning.js";
import { saveProject } from "../project/save_part.js";
import { isTrained, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";
import { detailsOf } from "./faults.js";

/** @param {(step: string) => void} go */
export function keptNotices(go) {
  const parts = [full(go), failed(), off(), elsewhere(), interrupted(go)];
  const node = h("div", { role: "status" });
  return {
    node,
    render() {
      const shown = parts.filter((part) => part.isNow());
      for (const part of shown) part.render();
      node.hidden = shown.length === 0;
      place(node, shown.map((part) => part.node));
    },
  };
}

function fault(title, text, ...more) {
  const mark = icon("alert");
  mark.classList.add("fault__icon");
  return h("section", { class: "fault" }, mark, h("div", { class: "fault__text" }, title, text, ...more));
}

function full(go) {
  const fullWords = texts.keep.full;
  const text = h("p", { class: "text" });
  const room = button("", () => go("projects"));
  const disk = saveProject({ label: texts.work.goSave, kind: "button--next" });
  const node = fault(h("h2", { class: "title" }, fullWords.title), text, h("p", { class: "buttons" }, disk.act, room), disk.told, disk.fault);
  let asked = false;
  return {
    node,
    isNow() {
      const is = state.keeping.phase === "full" && state.step !== "projects";
      if (is && !asked) listProjects();
      asked = is;
      return is;
    },
    render() {
      const all = state.keeping.projects ?? [];
      disk.render();
      setText(text, fullWords.text(state.keeping.left));
      setText(room.querySelector("span"), fullWords.room(all.length, all.reduce((sum, { bytes }) => sum + bytes, 0)));
    },
  };
}

function failed() {
  const failedWords = texts.keep.failed;
  const title = h("h2", { class: "title" });
  const details = detailsOf();
  const node = fault(title, h("p", { class: "text" }, failedWords.text), h("p", { class: "buttons" }, button(failedWords.again, keepAgain, { after: "retry" })), details.node);
  return {
    node,
    isNow: () => state.keeping.phase === "failed",
    render() {
      setText(title, failedWords.title(state.keeping.left));
      details.node.hidden = !state.keeping.error;
      if (state.keeping.error) details.render(state.keeping.error);
    },
  };
}

function notice(mark, title, text, ...buttons) {
  return h("section", { class: "notice" }, icon(mark), h("div", { class: "notice__text" }, title, text), h("p", { class: "buttons" }, buttons));
}

/** Said when there is something to lose, and once. */
function off() {
  const offWords = texts.keep.off;
  const text = h("p");
  const node = notice("alert", h("h2", { class: "notice__title" }, offWords.title), text, button(texts.page.close, silence, { kind: "button--s" }));
  return {
    node,
    isNow: () => state.keeping.phase === "off" && !state.keeping.silenced && state.pictures.size > 0,
    render: () => setText(text, { none: offWords.none, newer: offWords.newer, insecure: offWords.insecure, blocked: offWords.blocked }[state.keeping.why]),
  };
}

function elsewhere() {
  const elsewhereWords = texts.keep.elsewhere;
  const title = h("h2", { class: "notice__title" });
  const text = h("p");
  const wait = button(elsewhereWords.wait, waitForOther, { kind: "button--s" });
  const node = notice("pair", title, text, wait, button(texts.page.close, forgetOther, { kind: "button--s" }));
  return {
    node,
    isNow: () => state.keeping.elsewhere !== null,
    render() {
      const { shownName, waits } = state.keeping.elsewhere;
      setText(title, elsewhereWords.title(shownName));
      setText(text, waits ? elsewhereWords.waits : elsewhereWords.text);
      wait.hidden = waits;
    },
  };
}

function interrupted(go) {
  const interruptedWords = texts.keep.interrupted;
  const title = h("h2", { class: "notice__title" });
  const text = h("p");
  const again = button(interruptedWords.again, () => { forgetInterruption(); go("train"); learn(); }, { kind: "button--s", after: "arrow" });
  const node = notice("retry", title, text, again, button(texts.page.close, forgetInterruption, { kind: "button--s" }));
  return {
    node,
    isNow: () => state.keeping.interrupted && state.training.phase !== "running",
    render() {
      setText(title, interruptedWords.title(nameNow()));
      setText(text, isTrained() ? interruptedWords.kept : interruptedWords.nothing);
      again.hidden = whyNot() !== null;
    },
  };
}
