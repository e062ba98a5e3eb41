/** Dragging: files from outside onto the page or a class, and frames from one class to another. */

import { say } from "../announcer.js";
import { hasFiles } from "../drops.js";
import { takeIn, moveTo } from "../intake.js";
import { lookThroughDrop } from "../listing.js";
import { findClass, isTrained, state } from "../state.js";
import { tryOut } from "../tries.js";
import { texts } from "../texts/texts.js";

let dragged = [];

/** A frame is on its way; with it all selected ones, if it is selected. */
export function startDrag(event, picture) {
  const chosen = state.selected.has(picture.id) ? [...state.selected].map((id) => state.pictures.get(id)).filter(Boolean) : [picture];
  dragged = chosen;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", picture.name);
}

/** The whole page takes files; a place with `data-drop-class` takes them, and frames, for its class. */
export function listenForDrops(onTaken) {
  const root = document.documentElement;
  let marked = null;
  const mark = (place) => {
    marked?.classList.remove("is-over");
    marked = place;
    marked?.classList.add("is-over");
  };
  const end = () => {
    mark(null);
    root.classList.remove("is-dragging");
  };
  document.addEventListener("dragover", (event) => {
    const files = hasFiles(event.dataTransfer);
    if (files) dragged = []; // of a frame that was gone before its drag ended nobody hears the end
    else if (dragged.length === 0) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = files ? "copy" : "move";
    root.classList.toggle("is-dragging", files);
    const place = placeOf(event);
    if (place !== marked) mark(place);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && end());
  document.addEventListener("dragend", () => { dragged = []; end(); });
  document.addEventListener("drop", (event) => {
    end();
    if (hasFiles(event.dataTransfer)) dropFiles(event, onTaken);
    else if (dragged.length > 0) dropFrames(event);
  });
}

/** What is pasted goes where the focus is: to a class, else as if it was dropped on the page. */
export function listenForPaste(onTaken) {
  document.addEventListener("paste", (event) => {
    if (!hasFiles(event.clipboardData) || isTextFor(event.target, event.clipboardData)) return;
    event.preventDefault();
    const classId = classAt(event);
    lookThroughDrop(event.clipboardData, (taken) => takeFiles(taken, classId, onTaken));
  });
}

/** What a table or a text program copies is text with a picture of it: where text can be written, the text is meant. */
function isTextFor(target, { types }) {
  return types.includes("text/plain") && target.matches?.("input, textarea");
}

/** Whether files that come now are to be tried rather than collected. */
export function takesToTry() {
  return state.step === "try" && isTrained();
}

function takeFiles(taken, classId, onTaken) {
  if (takesToTry()) return tryOut(taken);
  takeIn(taken, classId);
  onTaken();
}

function placeOf(event) {
  return event.target.closest?.("[data-drop-class]") ?? null;
}

function classAt(event) {
  const place = placeOf(event);
  return place && Number(place.dataset.dropClass);
}

function dropFiles(event, onTaken) {
  event.preventDefault();
  const classId = classAt(event);
  lookThroughDrop(event.dataTransfer, (taken) => takeFiles(taken, classId, onTaken));
}

function dropFrames(event) {
  event.preventDefault();
  const classId = classAt(event);
  const moved = classId !== null ? dragged.filter((picture) => picture.classId !== classId) : [];
  dragged = [];
  if (moved.length === 0) return;
  moveTo(moved, classId);
  say(texts.frames.moved(moved.length, findClass(classId).name));
}
