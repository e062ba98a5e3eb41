/** What the browser enforces, what came before, how to check it, and what cannot be promised. */

import { h, icon } from "../elements.js";
import { pageBytes } from "../seal.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";

export function openPrivacy() {
  const words = texts.seal;
  const { closed, at, requests } = state.seal;
  const close = h("button", { class: "tool", type: "button", onclick: () => dialog.close() }, icon("cross"), texts.page.close);
  const head = closed
    ? h("p", { class: "zero" }, h("b", { class: "zero__n" }, String(requests)), " ", h("span", { class: "zero__text", id: "h-privacy" }, words.title(requests)))
    : h("h2", { class: "title", id: "h-privacy" }, words.titleBefore);
  const dialog = h("dialog", { class: "sheet", "aria-labelledby": "h-privacy" },
    h("div", { class: "sheet__head" }, h("p", { class: "edge" }, closed ? words.at(at) : words.atBefore), close),
    head, h("p", { class: "text" }, state.load.phase !== "ready" ? words.textBefore : closed ? words.text : words.textOpen),
    h("p", { class: "text" }, words.camera),
    h("h3", { class: "title title--s" }, words.loaded), loadedTable(),
    h("h3", { class: "title title--s" }, words.check), h("ol", { class: "plain plain--n" }, words.checks.map((text) => h("li", {}, text))),
    h("h3", { class: "title title--s" }, words.cannot), h("ul", { class: "plain" }, words.limits.map((text) => h("li", {}, text))));
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.showModal();
}

function loadedTable() {
  const words = texts.seal;
  const stages = state.load.stages.filter(({ id, loaded }) => id !== "start" && loaded > 0).map(({ id, loaded }) => [texts.load.stages[id], loaded]);
  const rows = [[words.own, pageBytes()], ...stages];
  return h("table", { class: "facts" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.what), h("th", { scope: "col" }, words.size))),
    h("tbody", {}, rows.map(([name, bytes]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, words.bytes(bytes))))));
}
