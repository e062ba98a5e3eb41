/** The camera in Try: its view in the place of the large print, and what can be done with it. */

import { h, setText } from "../elements.js";
import { lookThroughPicked } from "../listing.js";
import { beginLive, endLive, freeze, goOn, otherCamera } from "../live.js";
import { state } from "../state.js";
import { tryOut } from "../tries.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";
import { cameraFault } from "./camera_fault.js";
import { viewfinder } from "./viewfinder.js";

/** `leave()`: where the focus goes when the camera is off. */
export function livePart(leave) {
  const finder = viewfinder();
  const still = button("", () => (state.tries.live ? freeze() : goOn()));
  const other = button(texts.camera.other, otherCamera, { kind: "button--s" });
  const off = button(texts.try.turnOff, endLive, { kind: "button--s" });
  const acts = h("p", { class: "buttons" }, still, other, off);
  const fault = cameraFault({ onfiles: choose, again: beginLive, close: endLive });
  const node = h("div", { class: "live" }, finder.node, acts, fault.node);
  let before = "off";

  function choose(files) {
    endLive();
    lookThroughPicked(files, tryOut);
  }

  return {
    node,
    /** `usesCamera`: for Try; `running`: its picture is what is looked at. */
    render(usesCamera, running) {
      const { phase, error, cameras } = state.camera;
      const hadFocus = node.contains(document.activeElement);
      node.hidden = !usesCamera;
      finder.render(usesCamera, !running);
      fault.render(usesCamera ? error : null);
      finder.node.hidden = acts.hidden = phase === "failed";
      still.hidden = phase !== "on";
      other.hidden = cameras.length < 2 || !running;
      setText(still.firstChild, running ? texts.try.freeze : texts.try.goOn);
      if (usesCamera && phase === "on" && before !== "on") still.focus();
      if (node.hidden && hadFocus) leave();
      before = usesCamera ? phase : "off";
    },
  };
}
