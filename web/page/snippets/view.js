/** The code that runs the saved model, in two languages: tabs, one panel, a button that copies. */

import { h, setAttribute, setText } from "../elements.js";
import { texts } from "../texts/texts.js";
import { copyButton } from "../views/buttons.js";
import { javascript } from "./javascript.js";
import { python } from "./python.js";

const LANGUAGES = /** @type {const} */ ({ python, javascript });

/** `render(about)`: of the file, see the two; null hides it. */
export function snippetPart() {
  let chosen = "python";
  let about = null;
  const code = h("code");
  const region = h("pre", { class: "code", tabindex: "0", role: "region" }, code);
  const note = h("p", { class: "note" });
  const panel = h("div", { role: "tabpanel", id: "panel-snippet" }, region);
  const tabs = Object.keys(LANGUAGES).map(tab);
  const node = h("section", { class: "snippet", "aria-labelledby": "h-snippet" },
    h("div", { class: "snippet__head" }, h("h2", { class: "title title--s", id: "h-snippet" }, texts.snippet.title),
      h("div", { class: "tabs", role: "tablist", "aria-label": texts.snippet.languages, onkeydown: onKey }, tabs)),
    panel, h("p", { class: "buttons" }, copyButton(() => code.textContent), note));

  function tab(language) {
    return h("button", { class: "tab", type: "button", role: "tab", id: `tab-${language}`, "aria-controls": "panel-snippet", onclick: () => choose(language) }, texts.snippet.names[language]);
  }

  function choose(language) {
    chosen = language;
    draw();
  }

  function onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const other = tabs[(tabs.findIndex(({ id }) => id === `tab-${chosen}`) + step + tabs.length) % tabs.length];
    choose(other.id.slice("tab-".length));
    other.focus();
  }

  function draw() {
    for (const one of tabs) {
      const isChosen = one.id === `tab-${chosen}`;
      setAttribute(one, "aria-selected", String(isChosen));
      setAttribute(one, "tabindex", isChosen ? null : "-1");
    }
    setAttribute(panel, "aria-labelledby", `tab-${chosen}`);
    setAttribute(region, "aria-label", texts.snippet.code(texts.snippet.names[chosen]));
    setText(code, LANGUAGES[chosen](about));
    setText(note, texts.snippet.notes[chosen]);
  }

  return {
    node,
    render(next) {
      node.hidden = next === null;
      about = next;
      if (about) draw();
    },
  };
}
