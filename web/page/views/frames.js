/** A strip of film: the pictures of one owner as frames that can be selected, moved and taken out, by mouse and by keyboard. */

import { say } from "../announcer.js";
import { h, hidden, icon, keyed, named, place, setAttribute, setProperty, setText } from "../elements.js";
import { moveTo } from "../intake.js";
import { takeOutAll } from "../looking.js";
import { changed, state } from "../state.js";
import { forgetThumbnail, wantThumbnail } from "../thumbnails.js";
import { texts } from "../texts/texts.js";
import { startDrag } from "./dragging.js";

/** Frames that come at a click, and the most that are drawn at once: the strip is a window on its pictures, however many there are. */
const STEP = 120;
const MOST = 240;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) wasSeen(/** @type {any} */ (target));
}, { rootMargin: "300px" });

function wasSeen(node) {
  near.unobserve(node);
  node.seen = true;
  wantThumbnail(node.picture);
}

/**
 * `owner`: { name(): string, leave() }; `leave` puts the focus elsewhere when no frame is left. `render(pictures)` shows the first rows,
 * and more at a click. One frame is in the tab order; arrow keys go to the others.
 */
export function strip({ name, leave }) {
  /** `first`: place of the first picture that is shown, `more`: how many beyond the first rows, `current`: the picture in the tab order. */
  const view = { name, first: 0, more: 0, current: null };
  const list = h("ul", { class: "strip", onkeydown: onKey, onfocusin: onFocus, onclick: onClick });
  const before = moreFrame(() => show(view.first - step(), view.more, view.first - 1));
  const after = moreFrame(() => showAfter());
  const fewer = moreFrame(() => show(0, 0, view.first));
  const fill = keyed(list, (picture) => picture.id, (picture) => frame(picture, view));
  let pictures = [];
  let end = 0;
  let columns = 0;
  new ResizeObserver(measure).observe(list);

  function render(all) {
    pictures = all;
    if (view.first >= all.length) view.first = 0;
    const room = firstRows(columns) + view.more;
    end = all.length - view.first > room ? view.first + room - 1 : all.length;
    const shown = all.slice(view.first, end);
    if (!shown.some((picture) => picture.id === view.current)) view.current = shown[0]?.id ?? null;
    before.write(texts.classes.before(view.first), name());
    after.write(texts.classes.more(all.length - end), name());
    fewer.write(texts.classes.fewer, name());
    setProperty(list, "--first", view.first);
    fill(shown, [end < all.length && after.node, view.more > 0 && fewer.node], [view.first > 0 && before.node]);
  }

  function measure() {
    const now = getComputedStyle(list).gridTemplateColumns.split(" ").length;
    if (now === columns) return;
    columns = now;
    changed();
  }

  /** Whole rows. */
  function step() {
    return columns * Math.ceil(STEP / columns);
  }

  function showAfter() {
    if (view.more < MOST) show(view.first, view.more + step(), end);
    else show(view.first + step(), view.more, end);
  }

  /** The focus goes to the picture at place `focused`, or to the last one that is shown. */
  function show(first, more, focused) {
    Object.assign(view, { first: Math.max(0, first), more });
    render(pictures);
    const all = frames();
    (all[focused - view.first] ?? all.at(-1)).focus();
  }

  function frames() {
    return [...list.querySelectorAll("button.frame:not(.frame--more)")];
  }

  function onFocus(event) {
    if (event.target.picture) view.current = event.target.picture.id;
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
    else if (event.key === "Delete" || event.key === "Backspace") takeOut(event.target.picture, nearest(all, at));
    else if (isPlainDigit(event)) moveToNumber(Number(event.key), event.target.picture, nearest(all, at));
    else return;
    event.preventDefault();
  }

  function takeOut(picture, others) {
    if (!picture) return;
    const chosen = together(picture);
    goOn(chosen, others, () => takeOutAll(chosen));
  }

  /** The keyboard's quick way to sort: classes are counted from 1. */
  function moveToNumber(number, picture, others) {
    const target = state.classes[number - 1];
    if (!target) return say(texts.frames.noClass(number, state.classes.length));
    if (!picture || target.id === picture.classId) return;
    const chosen = together(picture);
    goOn(chosen, others, () => moveTo(chosen, target.id));
    say(texts.frames.moved(chosen.length, target.name));
  }

  /** Does what takes the chosen pictures away; the focus goes to the nearest frame that stays. */
  function goOn(chosen, others, change) {
    const next = others.find((other) => other.picture && !chosen.includes(other.picture));
    next?.focus();
    change();
    if (!next) leave();
  }

  return { node: list, render };
}

let last = null;

/** With the focused picture all selected ones, if it is selected. */
function together(picture) {
  return state.selected.has(picture.id) ? selectedOf(picture.classId) : [picture];
}

/** The frames behind the one at place `at`, then those before it. */
function nearest(all, at) {
  return [...all.slice(at + 1), ...all.slice(0, at).reverse()];
}

function isPlainDigit({ key, ctrlKey, altKey, metaKey }) {
  return /^[1-9]$/.test(key) && !ctrlKey && !altKey && !metaKey;
}

function firstRows(columns) {
  if (columns === 0) return 1;
  return columns < 6 ? columns * 2 : columns;
}

/** A frame that stands for those not shown on this side. */
function moreFrame(onclick) {
  const button = h("button", { type: "button", class: "frame frame--more", onclick });
  const node = h("li", { class: "strip__more" }, button);
  let drawn = "";
  return {
    node,
    write(text, owner) {
      if (drawn !== text + owner) button.replaceChildren(text, hidden(texts.classes.moreOf(owner)));
      drawn = text + owner;
    },
  };
}

function frame(picture, view) {
  const label = hidden("");
  const node = h("button", { type: "button", class: "frame", draggable: "true", ondragstart: (event) => startDrag(event, picture) }, label);
  node.picture = picture;
  near.observe(node);
  let drawn = "";
  let shownThumb;
  return {
    node: h("li", {}, node),
    leave() {
      near.unobserve(node);
      forgetThumbnail(picture);
    },
    render(_, index) {
      const waits = picture.reading !== "ready" && picture.classId !== null;
      const now = `${view.first + index} ${waits} ${view.name()}`;
      if (now !== drawn) setText(label, texts.frames.one(view.name(), view.first + index + 1, picture.name) + (waits ? texts.frames.waiting : ""));
      drawn = now;
      setAttribute(node, "tabindex", picture.id === view.current ? "0" : "-1");
      setAttribute(node, "aria-pressed", state.selected.has(picture.id) ? "true" : "false");
      node.classList.toggle("is-waiting", waits);
      if (node.seen) wantThumbnail(picture);
      if (picture.thumb === undefined || picture.thumb === shownThumb) return;
      shownThumb = picture.thumb;
      place(node, [printOf(picture), label, icon("check")]);
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
