/** Collecting with the camera: it is on as long as this sheet is open. */

import { switchCamera, turnOff } from "../camera.js";
import { h, icon, keyed, place, setAttribute, setText } from "../elements.js";
import { takeIn } from "../intake.js";
import { lookThroughPicked } from "../listing.js";
import { beginBurst, endBurst } from "../recording.js";
import { findClass, picturesOf, state } from "../state.js";
import { wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";
import { cameraFault } from "./camera_fault.js";
import { printOf } from "./frames.js";
import { holdable } from "./hold.js";
import { viewfinder } from "./viewfinder.js";

const LAST = 6;

export function cameraSheet() {
  const title = h("h2", { class: "title title--s clipped", id: "h-camera" });
  const close = h("button", { class: "tool", type: "button", onclick: turnOff }, icon("cross"), texts.page.close);
  const finder = viewfinder();
  const record = recordPart();
  const fault = cameraFault({ onfiles: (files) => choose(files) });
  const taken = takenPart();
  const note = h("p", { class: "note" }, texts.camera.note);
  const status = h("p", { class: "text camera__status", role: "status" });
  const node = /** @type {HTMLDialogElement} */ (h("dialog", { class: "sheet camera", "aria-labelledby": "h-camera", onclose: turnOff },
    h("div", { class: "sheet__head" }, title, close), finder.node, fault.node, record.node, status, taken.node, note));
  return {
    node,
    render() {
      const { phase, use, error } = state.camera;
      const shows = phase !== "off" && use !== "try";
      if (shows !== node.open) shows ? begin() : node.close();
      finder.render(shows);
      if (!shows) return;
      const owner = findClass(use)?.name ?? "";
      setText(title, texts.camera.title(owner));
      finder.node.hidden = record.node.hidden = note.hidden = phase === "failed";
      fault.render(error);
      record.render();
      const pictures = picturesOf(use);
      setText(status, state.camera.taken > 0 ? texts.camera.taken(state.camera.taken, owner, pictures.length) : "");
      taken.render(pictures);
    },
  };

  function begin() {
    node.showModal();
    record.focus();
  }

  function choose(files) {
    const { use } = state.camera;
    turnOff();
    lookThroughPicked(files, (taken) => takeIn(taken, use));
  }
}

/** The button to hold, and one for those who cannot hold it. */
function recordPart() {
  const hold = button(texts.camera.hold, () => {}, { kind: "button--next camera__hold" });
  const without = button(texts.camera.without, () => (state.camera.burst ? endBurst() : beginBurst()));
  const other = button(texts.camera.other, switchCamera);
  holdable(hold, beginBurst, endBurst);
  const node = h("div", { class: "camera__record" }, hold, h("p", { class: "buttons" }, without, other));
  return {
    node,
    focus: () => hold.focus(),
    render() {
      const { phase, burst, cameras } = state.camera;
      for (const act of [hold, without, other]) setAttribute(act, "aria-disabled", phase === "on" ? null : "true");
      hold.classList.toggle("is-held", burst !== null);
      setText(without.firstChild, burst ? texts.camera.stop : texts.camera.without);
      other.hidden = cameras.length < 2;
    },
  };
}

/** The last pictures of the class, so that a person sees what came of it. */
function takenPart() {
  const list = h("ul", { class: "strip strip--captions camera__taken", "aria-hidden": "true" });
  const fill = keyed(list, ({ id }) => id, (picture) => {
    const frame = h("span", { class: "frame" });
    return {
      node: h("li", {}, frame),
      render() {
        wantThumbnail(picture);
        if (picture.thumb !== undefined && !frame.firstChild) place(frame, [printOf(picture)]);
      },
    };
  });
  return {
    node: list,
    render(pictures) {
      list.hidden = pictures.length === 0;
      fill(pictures.slice(-LAST));
    },
  };
}
