/** A strip of film: the pictures of one owner as frames that can be selected, moved and taken out, by mouse and by keyboard. */

import { say } from "../announcer.js";
import { h, hidden, icon, keyed, named, place, setAttribute, setText } from "../elements.js";
import { drop } from "../pictures.js";
import { changed, state } from "../state.js";
import { wantThumbnail } from "../thumbnails.js";
import { en } from "../texts/en.js";
import { startDrag } from "./dragging.js";

const STEP = 120;
const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) wantThumbnail(/** @type {any} */ (target).picture);
}, { rootMargin: "300px" });

/**
 * `owner`: { name(): string, shown: number, leave() }; `leave` puts the focus elsewhere when no frame is left. `render(pictures)` shows the first rows, and `owner.shown` more.
 * One frame is in the tab order; arrow keys go to the others.
 */
export function strip(owner) {
  const list = h("ul", { class: "strip", onkeydown: onKey, onfocusin: onFocus, onclick: onClick });
  const more = h("button", { type: "button", class: "frame frame--more", onclick: () => expand(STEP) });
  const moreItem = h("li", { class: "strip__more" }, more);
  const fewer = h("button", { type: "button", class: "frame frame--more", onclick: () => expand(-owner.shown) });
  const fewerItem = h("li", { class: "strip__more" }, fewer);
  const fill = keyed(list, (picture) => picture.id, (picture) => frame(picture, owner));
  let pictures = [];
  let current = null;
  let columns = 0;
  new ResizeObserver(measure).observe(list);

  function render(all) {
    pictures = all;
    const room = firstRows(columns) + owner.shown;
    const shown = all.length > room ? all.slice(0, room - 1) : all;
    const rest = all.length - shown.length;
    more.replaceChildren(en.classes.more(rest), hidden(en.classes.moreOf(owner.name())));
    fewer.replaceChildren(en.classes.fewer, hidden(en.classes.moreOf(owner.name())));
    fill(shown, rest > 0 && moreItem, owner.shown > 0 && fewerItem);
    if (!shown.some((picture) => picture.id === current)) current = shown[0]?.id ?? null;
    for (const button of buttons()) setAttribute(button, "tabindex", button.picture.id === current ? "0" : "-1");
  }

  function measure() {
    const now = getComputedStyle(list).gridTemplateColumns.split(" ").length;
    if (now === columns) return;
    columns = now;
    changed();
  }

  function expand(n) {
    const at = buttons().length;
    owner.shown += n;
    render(pictures);
    (buttons()[at] ?? buttons().at(-1)).focus();
  }

  function buttons() {
    return [...list.querySelectorAll("button.frame:not(.frame--more)")];
  }

  function onFocus(event) {
    if (event.target.picture) current = event.target.picture.id;
  }

  function onClick(event) {
    const { picture } = event.target.closest("button") ?? {};
    if (!picture) return;
    if (event.shiftKey) selectRange(pictures, picture);
    else toggle(picture);
    last = picture.id;
    changed();
  }

  function onKey(event) {
    const all = [...list.querySelectorAll("button")];
    const at = all.indexOf(document.activeElement);
    const to = destination(event.key, at, columns, all.length);
    if (to !== null) all[to].focus();
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) select(pictures);
    else if (event.key === "Delete" || event.key === "Backspace") takeOut(event.target.picture, [...all.slice(at + 1), ...all.slice(0, at).reverse()]);
    else return;
    event.preventDefault();
  }

  /** With the focused frame all selected ones, if it is selected; the focus goes to the nearest frame that stays. */
  function takeOut(picture, others) {
    if (!picture) return;
    const chosen = state.selected.has(picture.id) ? selectedOf(picture.classId) : [picture];
    const next = others.find((other) => other.picture && !chosen.includes(other.picture));
    if (next) next.focus();
    else owner.leave();
    drop(chosen);
    say(en.frames.takenOut(chosen.length));
  }

  return { node: list, render };
}

let last = null;

function firstRows(columns) {
  if (columns === 0) return 1;
  return columns < 6 ? columns * 2 : columns;
}

function frame(picture, owner) {
  const label = hidden("");
  const node = h("button", { type: "button", class: "frame", draggable: "true", ondragstart: (event) => startDrag(event, picture) }, label);
  node.picture = picture;
  near.observe(node);
  let print = null;
  let shownThumb;
  return {
    node: h("li", {}, node),
    render(_, index) {
      setText(label, en.frames.one(owner.name(), index + 1, picture.name) + (picture.reading === "ready" || picture.classId === null ? "" : en.frames.waiting));
      setAttribute(node, "aria-pressed", state.selected.has(picture.id) ? "true" : "false");
      node.classList.toggle("is-waiting", picture.reading !== "ready" && picture.classId !== null);
      if (picture.thumb === shownThumb) return;
      shownThumb = picture.thumb;
      print = printOf(picture);
      place(node, [print, label, icon("check")]);
    },
  };
}

/** The print, or the file's name where the browser cannot show the picture. */
export function printOf({ thumb, name }, alt = "") {
  if (thumb) return h("img", { src: thumb, alt, draggable: "false" });
  return named(name, { class: "frame__name", "aria-hidden": alt === "" ? "true" : null });
}

function toggle({ id }) {
  if (!state.selected.delete(id)) state.selected.add(id);
}

function selectRange(pictures, picture) {
  const from = pictures.findIndex(({ id }) => id === last);
  const to = pictures.indexOf(picture);
  if (from < 0) return toggle(picture);
  for (const { id } of pictures.slice(Math.min(from, to), Math.max(from, to) + 1)) state.selected.add(id);
}

function select(pictures) {
  for (const { id } of pictures) state.selected.add(id);
  changed();
}

/** The selected pictures of one class, or of Unsorted. */
export function selectedOf(classId) {
  return [...state.selected].map((id) => state.pictures.get(id)).filter((picture) => picture && picture.classId === classId);
}

function destination(key, at, columns, length) {
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -at, End: length - 1 - at };
  if (at < 0 || !(key in steps)) return null;
  const rtl = document.documentElement.dir === "rtl" && key.startsWith("Arrow") && Math.abs(steps[key]) === 1;
  const to = at + (rtl ? -steps[key] : steps[key]);
  return to >= 0 && to < length ? to : null;
}
