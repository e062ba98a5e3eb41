/** What the camera sees, and the sign that it is on. */

import { video } from "../camera.js";
import { h, place, setAttribute, setText } from "../elements.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";

/** `render(shows, frozen)`: whether it is here that the camera's picture is looked at; `frozen`: something else is shown for now. */
export function viewfinder() {
  const view = h("div", { class: "viewfinder__view" });
  const words = h("span");
  const sign = h("p", { class: "viewfinder__sign" }, h("span", { class: "viewfinder__lamp", "aria-hidden": "true" }), words);
  const waits = h("p", { class: "viewfinder__waits" }, texts.camera.waits);
  const node = h("div", { class: "viewfinder" }, view, sign);
  return {
    node,
    render(shows, frozen = false) {
      const { phase, mirrored, silent, burst } = state.camera;
      place(view, [!shows ? null : phase === "on" ? video : waits]);
      video.classList.toggle("is-mirrored", mirrored);
      setAttribute(video, "aria-label", texts.camera.view);
      node.classList.toggle("is-on", phase === "on");
      view.hidden = frozen; // but still there: a video that is taken out of the page stops
      node.classList.toggle("is-recording", burst !== null);
      setText(words, phase !== "on" ? texts.camera.asking : silent ? texts.camera.silent : burst ? texts.camera.recording(burst.files.length) : frozen ? texts.camera.frozen : texts.camera.on);
    },
  };
}
