/** Buttons that come in many places: the next action, file pickers, copying. */

import { say } from "../announcer.js";
import { h, icon, setAttribute, setText } from "../elements.js";
import { texts } from "../texts/texts.js";

export function button(text, onclick, { kind = "", before = null, after = null } = {}) {
  return h("button", { class: `button ${kind}`.trim(), type: "button", onclick }, before && icon(before), h("span", {}, text), after && icon(after));
}

/** A button that opens a file picker. `folder`: of whole folders. The input itself is out of the tab order, the button is what people meet. */
export function picker(look, onfiles, { folder = false, label = "" } = {}) {
  const input = h("input", { type: "file", class: "hidden", multiple: true, webkitdirectory: folder, tabindex: "-1", "aria-hidden": "true", "aria-label": label || look.textContent });
  if (!folder) input.accept = "image/*,.tif,.tiff,.heic,.heif,.avif,.zip,.pagetrain,.delta";
  input.addEventListener("change", () => {
    onfiles([...input.files]);
    input.value = "";
  });
  look.addEventListener("click", () => input.click());
  return h("span", { class: "picker" }, look, input);
}

/**
 * The last word of a screen: what is ready, and the one next action. `render({ bold, text, link, label, act, why })`;
 * with `why` the button says beside it why it cannot act; `link`, with text and act, leads to what should be seen before.
 */
export function nextBar() {
  const bold = h("b");
  const text = h("span");
  const link = h("button", { class: "link", type: "button", onclick: () => now.link.act() });
  const label = h("span");
  const why = h("p", { class: "next__why", id: `why-${crypto.randomUUID?.() ?? Math.random()}` });
  let now = {};
  const act = h("button", { class: "button button--next", type: "button", onclick: () => (now.why ? say(now.why) : now.act()) }, label, icon("arrow"));
  const node = h("section", { class: "next", "aria-label": texts.steps.next }, h("p", { class: "next__text" }, bold, " ", text, " ", link), why, act);
  return {
    node,
    render(next) {
      now = next;
      setText(bold, next.bold);
      setText(text, next.text);
      link.hidden = !next.link;
      setText(link, next.link?.text ?? "");
      setText(label, next.label);
      setText(why, next.why ?? "");
      why.hidden = !next.why;
      setAttribute(act, "aria-disabled", next.why ? "true" : null);
      setAttribute(act, "aria-describedby", next.why ? why.id : null);
    },
  };
}

export function copyButton(textOf, words = texts.page.copy) {
  const label = h("span", {}, words);
  const copy = async ({ currentTarget }) => {
    await toClipboard(textOf(), currentTarget);
    setText(label, texts.page.copied);
    say(texts.page.copied);
    setTimeout(() => setText(label, words), 3000);
  };
  return h("button", { class: "button button--s", type: "button", onclick: copy }, label);
}

/** Pages by plain http from another machine have no clipboard object: there the browser copies what is selected. */
export async function toClipboard(text, beside) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = h("textarea", { class: "hidden" });
  box.value = text;
  beside.after(box);
  box.select();
  document.execCommand("copy");
  box.remove();
  beside.focus();
}
