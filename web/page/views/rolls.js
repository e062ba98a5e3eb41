/** The classes, each a label beside its strip of film. */

import { say } from "../announcer.js";
import { turnOn } from "../camera.js";
import { addClass, removeClass, renameClass } from "../classes.js";
import { h, hidden, icon, keyed, setAttribute, setProperty, setText } from "../elements.js";
import { takeIn } from "../intake.js";
import { lookThroughPicked } from "../listing.js";
import { picturesOf, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { picker } from "./buttons.js";
import { confirmRemoval } from "./confirm.js";
import { strip } from "./frames.js";
import { selection } from "./selection.js";

export function rolls() {
  const list = h("div", { class: "rolls" });
  const add = h("button", { class: "add-class", type: "button" }, icon("plus"), texts.classes.add);
  const fill = keyed(list, ({ one }) => one.id, ({ one }) => roll(one, afterRemoval));
  let parts = new Map();

  add.addEventListener("click", () => {
    const one = addClass();
    render();
    parts.get(one.id).editName();
    say(texts.classes.added(one.name));
  });

  function afterRemoval(index) {
    render();
    const next = state.classes[Math.min(index, state.classes.length - 1)];
    if (next) parts.get(next.id).focusName();
    else add.focus();
  }

  function render() {
    const pictures = Map.groupBy(state.pictures.values(), (picture) => picture.classId);
    const own = state.classes.map((one) => pictures.get(one.id) ?? []);
    const most = Math.max(1, ...own.map(({ length }) => length));
    parts = fill(state.classes.map((one, index) => ({ one, pictures: own[index], most })), [add]);
  }

  return { node: list, render };
}

function roll(one, afterRemoval) {
  const note = h("p", { class: "note note--error", role: "alert" });
  const name = nameField(one, note);
  const number = h("b");
  const word = h("span");
  const level = h("span", { class: "level", "aria-hidden": "true" });
  const frames = strip({ name: () => one.name, leave: () => name.focus() });
  const chosen = selection(one.id, () => name.focus());
  const tools = rollTools(one, () => remove());
  const empty = h("p", { class: "strip__empty" }, texts.classes.none);
  const node = h("section", { class: "roll", "data-drop-class": one.id },
    h("div", { class: "roll__label" }, name, h("p", { class: "roll__count" }, number, " ", word), level, note, tools.node),
    h("div", { class: "roll__film" }, empty, frames.node, chosen.node));

  async function remove() {
    const n = picturesOf(one.id).length;
    if (n > 0 && !(await confirmRemoval(one.name, n))) return;
    const index = state.classes.indexOf(one);
    removeClass(one.id);
    say(texts.classes.removed(one.name));
    afterRemoval(index);
  }

  function render({ pictures, most }) {
    setAttribute(node, "aria-label", texts.classes.label(one.name));
    if (document.activeElement !== name && name.value !== one.name) name.value = one.name;
    setText(number, String(pictures.length));
    setText(word, texts.classes.pictures(pictures.length));
    setProperty(level, "--v", (pictures.length / most).toFixed(3));
    empty.hidden = pictures.length > 0;
    frames.node.hidden = pictures.length === 0;
    tools.render();
    frames.render(pictures);
    chosen.render(pictures);
  }

  return { node, render, focusName: () => name.focus(), editName: () => { name.focus(); name.select(); } };
}

/** Its name can be changed in it; what is wrong with the new one stands in `note`. Enter leaves the focus in the field. */
function nameField(one, note) {
  const input = h("input", { class: "roll__name", "aria-label": texts.classes.name, size: "1", dir: "auto", spellcheck: "false", autocomplete: "off" });
  input.value = one.name;
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault(); // or it counts as left
      enter();
    }
    if (event.key === "Escape") input.value = one.name;
  });
  input.addEventListener("change", leave);
  let told = null; // the name of which it was said already what is wrong with it

  function enter() {
    const fault = faultOf(one, input.value);
    told = fault && input.value;
    if (fault) input.select();
    else input.value = one.name;
    tellBriefly(note, fault);
  }

  function leave() {
    const fault = faultOf(one, input.value);
    if (input.value !== told) tellBriefly(note, fault);
    told = null;
    input.value = one.name;
  }

  return input;
}

/** Gives the class its new name; answers what is wrong with it, "" when nothing is. */
function faultOf(one, wanted) {
  if (wanted === one.name) return "";
  const fault = renameClass(one.id, wanted);
  if (fault === "empty") return texts.classes.emptyName;
  return fault === "taken" ? texts.classes.taken(wanted) : "";
}

/** Stands there until the person does something else; a click is over before the page moves under it. */
function tellBriefly(note, sentence) {
  setText(note, sentence);
  if (!sentence) return;
  const end = new AbortController();
  const options = { capture: true, signal: end.signal };
  const withdraw = () => { setText(note, ""); end.abort(); };
  for (const type of ["keydown", "input", "drop"]) document.addEventListener(type, withdraw, options);
  document.addEventListener("pointerdown", () => document.addEventListener("click", withdraw, options), options);
}

function rollTools(one, remove) {
  const to = hidden("");
  const into = hidden("");
  const of = hidden("");
  const photos = h("button", { class: "tool", type: "button" }, icon("plus"), texts.classes.photos, to);
  const camera = h("button", { class: "tool", type: "button", "aria-haspopup": "dialog", onclick: () => turnOn(one.id) }, icon("camera"), texts.classes.camera, into);
  const away = h("button", { class: "tool", type: "button", onclick: remove }, texts.classes.remove, of);
  const node = h("p", { class: "roll__tools" }, picker(photos, (files) => lookThroughPicked(files, (taken) => takeIn(taken, one.id))), camera, away);
  return {
    node,
    render() {
      setText(to, texts.classes.photosTo(one.name));
      setText(into, texts.classes.cameraFor(one.name));
      setText(of, texts.classes.removeName(one.name));
    },
  };
}
