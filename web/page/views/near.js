/** The training pictures that a tried one reminds it of; each opens large. */

import { h, keyed, named, place, setAttribute, setText } from "../elements.js";
import { changed, findClass, state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { printOf } from "./frames.js";

export function nearPart() {
  const list = h("ul", { class: "strip strip--captions near__strip", "aria-labelledby": "h-near" });
  const fill = keyed(list, ({ id }) => id, one);
  const node = h("section", { class: "near", "aria-labelledby": "h-near" },
    h("h2", { class: "title title--s", id: "h-near" }, texts.try.near), list, h("p", { class: "note" }, texts.try.nearText));
  return {
    node,
    render(result) {
      const pictures = (result?.near ?? []).filter(({ id, classId }) => state.pictures.has(id) && classId !== null);
      node.hidden = pictures.length === 0;
      fill(pictures);
    },
  };
}

function one(picture) {
  const caption = named("", { class: "near__class clipped" });
  const frame = h("button", { class: "frame", type: "button", "aria-haspopup": "dialog", onclick: () => { state.large = picture; changed(); } });
  let drawn;
  return {
    node: h("li", {}, frame, caption),
    leave: () => forgetThumbnail(picture),
    render() {
      const name = findClass(picture.classId)?.name ?? "";
      setText(caption, name);
      setAttribute(frame, "aria-label", texts.try.nearOne(name, picture.name));
      wantThumbnail(picture);
      if (picture.thumb !== drawn && picture.thumb !== undefined) place(frame, [printOf(picture)]);
      drawn = picture.thumb;
    },
  };
}
