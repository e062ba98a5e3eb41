/** What went wrong, for those who want to know more or report it. */

import { h, icon, setText } from "../elements.js";
import { changed, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { copyButton } from "./buttons.js";

/** A fold-out with kind, message and traceback of an error; holds no picture. */
export function detailsOf() {
  const code = h("code");
  const node = h("details", { class: "detail" }, h("summary", {}, texts.page.details),
    h("pre", { class: "code code--s", tabindex: "0", role: "region", "aria-label": texts.page.details }, code), copyButton(() => code.textContent));
  return { node, render: (error) => setText(code, [`${error.kind ?? error.name}: ${error.message}`, error.detail?.traceback].filter(Boolean).join("\n\n")) };
}

/** Says that the trainer died and lives again, on every step, until it is closed. */
export function restarted() {
  const close = () => { state.restarted = false; changed(); };
  const notice = h("section", { class: "notice" }, icon("retry"),
    h("div", { class: "notice__text" }, h("h2", { class: "notice__title" }, texts.restarted.title), h("p", {}, texts.restarted.text)),
    h("button", { class: "button button--s", type: "button", onclick: close }, texts.page.close));
  const node = h("div", { role: "alert" });
  return {
    node,
    render() {
      node.hidden = !state.restarted;
      if (state.restarted !== node.contains(notice)) node.replaceChildren(...(state.restarted ? [notice] : []));
    },
  };
}

/** An error that no part of the page has words for. */
export function unexpected() {
  const details = detailsOf();
  const mark = icon("alert");
  mark.classList.add("fault__icon");
  const close = () => { state.fault = null; changed(); };
  const node = h("section", { class: "fault", role: "alert" }, mark,
    h("div", { class: "fault__text" }, h("h2", { class: "title" }, texts.fault.title), h("p", { class: "text" }, texts.fault.text), details.node,
      h("button", { class: "button button--s", type: "button", onclick: close }, texts.page.close)));
  return {
    node,
    render() {
      node.hidden = state.fault === null;
      if (state.fault) details.render(state.fault);
    },
  };
}
