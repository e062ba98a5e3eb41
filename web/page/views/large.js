/** One picture, large: the square that the model sees of it, its class and its name. */

import { h, icon, named, place, setText } from "../elements.js";
import { changed, findClass, state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { printOf } from "./frames.js";

const SIDE = 640;

/** Open as long as `state.large` names a picture. */
export function largePrint() {
  const title = named("");
  const caption = h("figcaption", { class: "edge" });
  const photo = h("div", { class: "large__picture" });
  const close = h("button", { class: "tool", type: "button", onclick: () => node.close() }, icon("cross"), texts.page.close);
  const node = /** @type {HTMLDialogElement} */ (h("dialog", { class: "sheet large", "aria-labelledby": "h-large" },
    h("div", { class: "sheet__head" }, h("h2", { class: "title title--s", id: "h-large" }, title), close), h("figure", {}, photo, caption)));
  /** A print of its own, larger than those on strips. @type {any} */
  let print = null;
  node.addEventListener("click", (event) => event.target === node && node.close());
  node.addEventListener("close", () => { state.large = null; changed(); });

  function begin(picture) {
    print = { file: picture.file, name: picture.name, thumb: undefined };
    photo.replaceChildren();
    node.showModal();
  }

  function end() {
    forgetThumbnail(print);
    print = null;
    node.close();
  }

  return {
    node,
    render() {
      const picture = state.large;
      if (!picture) return print && end();
      if (!print) begin(picture);
      setText(title, findClass(picture.classId)?.name ?? texts.unsorted.title);
      setText(caption, picture.name);
      wantThumbnail(print, SIDE);
      if (print.thumb !== undefined && !photo.firstChild) place(photo, [printOf(print, picture.name)]);
    },
  };
}
