/** Pictures that are nearly the same, side by side, and what to do with each group of them. */

import { h, keyed, named, place, setAttribute, setText } from "../elements.js";
import { changed, findClass, state } from "../state.js";
import { wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { answers } from "./answers.js";
import { printOf } from "./frames.js";

/** Groups that come at a click, and pictures of a group that are drawn: enough to see what it is about. */
const STEP = 12;
const MOST = 6;

/** One group stands open; several are folded away until the person wants to see them. */
export function groups() {
  const fold = h("button", { class: "link", type: "button", onclick: () => show(shown > 0 ? 0 : STEP) });
  const list = h("ul", { class: "groups", "aria-label": texts.advice.groups });
  const more = h("button", { class: "link", type: "button", onclick: () => show(shown + STEP) });
  const node = h("div", { class: "hint__groups" }, fold, list, more);
  const fill = keyed(list, (one) => one.key, group);
  let shown = 0;

  function show(wanted) {
    shown = wanted;
    changed();
  }

  return {
    node,
    render(all) {
      const end = all.length === 1 ? 1 : shown;
      node.hidden = all.length === 0;
      fold.hidden = all.length === 1;
      setAttribute(fold, "aria-expanded", shown > 0);
      setText(fold, shown > 0 ? texts.advice.fold : texts.advice.look(all.length));
      list.hidden = end === 0;
      fill(all.slice(0, end));
      more.hidden = end === 0 || end >= all.length;
      setText(more, texts.advice.moreGroups(Math.min(STEP, all.length - end)));
    },
  };
}

function group() {
  const strip = h("ul", { class: "strip strip--bare" });
  const rest = h("p", { class: "note" });
  const row = answers({ says: true });
  const node = h("li", { class: "group" }, strip, rest, row.node);
  const fill = keyed(strip, ({ id }) => id, print);
  return {
    node,
    render(one) {
      node.classList.toggle("is-done", Boolean(one.done));
      fill(one.pictures.slice(0, MOST));
      setText(rest, one.pictures.length > MOST ? texts.advice.others(one.pictures.length - MOST) : "");
      row.render(one);
    },
  };
}

/** A picture over its class and its name; once it is taken out only its room is left, so that nothing moves. */
function print(picture) {
  const frame = h("div", { class: "frame" });
  const owner = named("", { class: "print__class" });
  const name = named(picture.name, { class: "clipped edge", title: picture.name });
  let shown;
  const node = h("li", {}, frame, owner, name);
  return {
    node,
    render() {
      const now = state.pictures.get(picture.id);
      node.classList.toggle("is-gone", !now);
      if (!now) return;
      wantThumbnail(now);
      setText(owner, findClass(now.classId)?.name ?? "");
      if (now.thumb === undefined || now.thumb === shown) return;
      shown = now.thumb;
      place(frame, [printOf(now)]);
    },
  };
}
