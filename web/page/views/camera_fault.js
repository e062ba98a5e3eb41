/** Why the camera cannot be used, and what to do. */

import { turnOn } from "../camera.js";
import { h, icon, setText } from "../elements.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button, picker } from "./buttons.js";
import { detailsOf } from "./faults.js";

/**
 * @param {{ onfiles: (files: File[]) => void, again?: () => void, close?: () => void }} acts  what else to do: photos; `again`: how the camera is
 *   asked for here; `close`: where nothing around it closes it. There it is not the screen's next action, either
 */
export function cameraFault({ onfiles, again = () => turnOn(state.camera.use), close }) {
  const title = h("h2", { class: "title" });
  const text = h("p", { class: "text" });
  const mark = icon("camera-off");
  mark.classList.add("fault__icon");
  const details = detailsOf();
  const photos = picker(button(texts.opening.choose, () => {}, close ? {} : { kind: "button--next", after: "arrow" }), onfiles);
  const node = h("section", { class: "fault", role: "alert" }, mark,
    h("div", { class: "fault__text" }, title, text, h("p", { class: "buttons" }, photos, button(texts.camera.again, again, { before: "retry" }), close && button(texts.page.close, close)), details.node));
  return {
    node,
    /** @param {import("../state.js").Camera["error"] | null} error */
    render(error) {
      node.hidden = error === null;
      if (!error) return;
      setText(title, texts.camera.faults[error.code].title);
      setText(text, texts.camera.faults[error.code].text);
      details.render({ ...error, message: texts.camera.detail(error) });
    },
  };
}
