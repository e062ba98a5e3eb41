/** A button that acts for as long as it is held: by mouse, finger, Space or Enter. A press is the shortest hold. */

/** `begin` and `end` come in turns. What clicks without holding, as screen readers do, is a press. */
export function holdable(node, begin, end) {
  let held = null;
  const press = (by) => {
    if (held !== null) return;
    held = by;
    begin();
  };
  const release = (by) => {
    if (held === null || (by && held !== by)) return;
    held = null;
    end();
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    node.setPointerCapture(event.pointerId); // the end is heard wherever the finger has gone
    press("pointer");
  });
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) node.addEventListener(type, () => release("pointer"));
  node.addEventListener("keydown", (event) => {
    if (!isPressing(event)) return;
    event.preventDefault(); // no click at its end
    if (!event.repeat) press(event.key);
  });
  node.addEventListener("keyup", (event) => {
    if (isPressing(event)) event.preventDefault();
    release(event.key);
  });
  node.addEventListener("blur", () => release(null));
  node.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch
  node.addEventListener("click", (event) => {
    if (event.detail > 0) return;
    press("click");
    release("click");
  });
}

function isPressing({ key }) {
  return key === " " || key === "Enter";
}
