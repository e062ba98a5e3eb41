/** For those who have no photos at hand: the example, on film, and the click that takes it in. */

import { h, setText } from "../elements.js";
import { glimpse, openExample } from "../example.js";
import { isReady } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

const CLASSES = 3;
const FRAMES = 7;

export function example() {
  const words = texts.example;
  const missing = h("p", { class: "note", role: "status" });
  const act = button(words.open, async () => setText(missing, (await openExample()) ? "" : words.missing), { after: "arrow" });
  const rolls = Array.from({ length: CLASSES }, () => ({ name: h("p", { class: "edge" }, "\u00a0"), frames: Array.from({ length: FRAMES }, () => h("span", { class: "frame" })) }));
  const sheet = h("div", { class: "example__sheet", "aria-hidden": "true" },
    rolls.map(({ name, frames }) => h("div", {}, name, h("ul", { class: "strip" }, frames.map((frame) => h("li", {}, frame))))));
  const head = h("div", { class: "example__head" }, h("h2", { class: "title", id: "h-example" }, words.title), h("p", { class: "text" }, words.text), act, missing, h("p", { class: "note" }, words.notice));
  const node = h("section", { class: "example", "aria-labelledby": "h-example" }, head, sheet);
  let isFilled = false;

  /** When the trainer is there: until then the machine has other things to do. */
  async function fill() {
    isFilled = true;
    const classes = await glimpse(FRAMES);
    classes.forEach(({ name, photos }, index) => {
      setText(rolls[index].name, name);
      photos.forEach((photo, place) => rolls[index].frames[place].replaceChildren(pictureOf(photo)));
    });
  }

  return {
    node,
    render(empty) {
      node.hidden = !empty;
      if (empty && !isFilled && isReady()) fill().catch(console.warn);
    },
  };
}

function pictureOf(photo) {
  const address = URL.createObjectURL(photo);
  return h("img", { src: address, alt: "", onload: () => URL.revokeObjectURL(address) });
}
