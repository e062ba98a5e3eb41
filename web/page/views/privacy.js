/** What the browser enforces, what came before, what is kept, how to check it, and what cannot be promised. */

import { h, icon } from "../elements.js";
import { eraseEverything } from "../erasing.js";
import { pageBytes } from "../seal.js";
import { changed, state } from "../state.js";
import { keptHere } from "../storage.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";
import { confirmErasure } from "./confirm.js";

export function openPrivacy() {
  const words = texts.seal;
  const { closed, at, requests } = state.seal;
  const close = h("button", { class: "tool", type: "button", onclick: () => dialog.close() }, icon("cross"), texts.page.close);
  const head = closed
    ? h("p", { class: "zero" }, h("b", { class: "zero__n" }, String(requests)), " ", h("span", { class: "zero__text", id: "h-privacy" }, words.title(requests)))
    : h("h2", { class: "title", id: "h-privacy" }, words.titleBefore);
  const refusal = h("p", { class: "note note--error", role: "alert" });
  const dialog = h("dialog", { class: "sheet", "aria-labelledby": "h-privacy" },
    h("div", { class: "sheet__head" }, h("p", { class: "edge" }, closed ? words.at(at) : words.atBefore), close),
    head, h("p", { class: "text" }, state.load.phase !== "ready" ? words.textBefore : closed ? words.text : words.textOpen), policy(),
    h("p", { class: "text" }, words.camera),
    heading(words.loaded), loadedTable(),
    heading(words.kept), h("p", { class: "text" }, words.offline[state.offline.phase]), keptTable(), h("p", { class: "note" }, words.counted),
    heading(words.check), h("ol", { class: "plain plain--n" }, words.checks.map((text) => h("li", {}, text))),
    heading(words.cannot), h("ul", { class: "plain" }, words.limits.map((text) => h("li", {}, text))),
    h("p", { class: "buttons" }, button(words.erase.begin, () => erase(refusal, dialog))), refusal);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.showModal();
}

async function erase(refusal, dialog) {
  if (!(await confirmErasure())) return;
  try {
    if (!(await eraseEverything())) refusal.textContent = texts.seal.erase.elsewhere;
  } catch (error) {
    dialog.close(); // what went wrong stands on the page
    console.error(error);
    state.fault = error;
    changed();
  }
}

/** What really stands in the page, not what we say that does. */
function policy() {
  const words = texts.seal;
  const metas = /** @type {NodeListOf<HTMLMetaElement>} */ (document.head.querySelectorAll("meta[http-equiv=Content-Security-Policy]"));
  const lines = Array.from(metas, ({ content }, index) => `${words.policies[Math.min(index, 1)]}\n${content.replaceAll("; ", "\n")}`);
  return h("details", { class: "detail" }, h("summary", {}, words.policy),
    h("pre", { class: "code code--s code--wraps", tabindex: "0", role: "region", "aria-label": words.policyLabel }, h("code", {}, lines.join("\n\n"))));
}

function loadedTable() {
  const stages = state.load.stages.filter(({ id, loaded }) => id !== "start" && loaded > 0).map(({ id, loaded }) => [texts.load.stages[id], loaded]);
  return sizes([[texts.seal.own, pageBytes()], ...stages]);
}

/** Filled when the browser has said it. */
function keptTable() {
  const words = texts.seal;
  const place = h("div");
  keptHere().then(({ places, all }) => {
    const rows = places.map(([id, bytes]) => [words.places[id] ?? id, bytes]);
    if (rows.length > 0) place.append(sizes(rows));
    else place.append(all > 0 ? sizes([[words.all, all]]) : h("p", { class: "text" }, words.nothing));
  });
  return place;
}

function sizes(rows) {
  const words = texts.seal;
  return h("table", { class: "facts" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.what), h("th", { scope: "col" }, words.size))),
    h("tbody", {}, rows.map(([name, bytes]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, words.bytes(bytes))))));
}

function heading(text) {
  return h("h3", { class: "title title--s" }, text);
}
