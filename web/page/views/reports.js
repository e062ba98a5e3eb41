/** A report for each drop: one line, and behind it what became of every file. */

import { addedCount, doneCount } from "../account.js";
import { h, icon, keyed, named, setAttribute, setIcon, setProperty, setText } from "../elements.js";
import { cancel } from "../reading.js";
import { changed, findClass, isReady, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

const SHOWN = 4;
const FIRST_SKIPPED = 12;
/** More than can be read at a glance, and few enough to be drawn at once. */
const MORE_SKIPPED = 200;

export function reports() {
  const node = h("div", { class: "intakes" });
  const listed = h("span");
  const stop = button(texts.report.listingCancel, cancelListings, { kind: "button--s" });
  const looking = h("p", { class: "intake-box intake__line" }, icon("wait"), listed, stop);
  const list = h("div");
  const fill = keyed(list, (intake) => intake.id, report);
  node.append(looking, list);
  return {
    node,
    render() {
      fill(state.drops.slice(0, SHOWN));
      looking.hidden = state.listings.size === 0;
      setText(listed, texts.report.listing([...state.listings].reduce((sum, { files }) => sum + files, 0)));
      node.hidden = state.drops.length + state.listings.size === 0;
    },
  };
}

function cancelListings() {
  for (const { stop } of state.listings) stop.abort();
}

function report(intake) {
  const line = h("b");
  const hint = h("span", { class: "intake__hint" });
  const summary = h("summary", { class: "intake__line" }, icon("wait"), h("span", { class: "intake__words" }, line, " ", hint));
  const progress = reading(intake);
  const rows = h("dl", { class: "reasons" });
  const end = h("p", {}, h("button", { class: "link", type: "button", onclick: () => close(intake) }, texts.report.close));
  const body = h("div", { class: "intake__body" }, rows, end);
  const details = h("details", { class: "intake" }, summary, body);
  const node = h("section", { class: "intake-box" }, details, progress.node);
  let finished = false;
  let drawn = "";

  function render() {
    const done = intake.took !== null;
    setText(line, lineOf(intake));
    setText(hint, hintOf(intake));
    setIcon(summary, !done ? "wait" : intake.skipped.length > 0 ? "alert" : "check");
    progress.render();
    const now = JSON.stringify([intake.skipped.length, intake.again.length, addedCount(intake), intake.shown, done]);
    if (now !== drawn) rows.replaceChildren(...rowsOf(intake));
    drawn = now;
    if (done && !finished) details.open = intake.perClass.size === 0 || intake.skipped.length > 0 || intake.loose > 0 || intake.again.length > 0;
    finished = done;
  }

  return { node, render };
}

function close(intake) {
  state.drops = state.drops.filter((one) => one !== intake);
  changed();
}

function lineOf(intake) {
  if (intake.took !== null) return texts.report.line(addedCount(intake), intake);
  if (!isReady()) return texts.report.waiting(intake.open.size);
  return texts.report.reading(doneCount(intake), intake.total);
}

function hintOf(intake) {
  if (intake.took !== null) return texts.report.took(intake.took);
  if (!isReady()) return texts.report.waitingHint;
  const done = doneCount(intake);
  intake.readSince ??= { at: performance.now(), done };
  const passed = (performance.now() - intake.readSince.at) / 1000;
  return done - intake.readSince.done < 3 ? "" : texts.report.leftHint((passed / (done - intake.readSince.done)) * intake.open.size);
}

/** The bar and the way out while pictures are being read. */
function reading(intake) {
  const part = h("span", { class: "wedge__part" });
  const bar = h("div", { class: "wedge", role: "progressbar", "aria-label": texts.report.progress, "aria-valuemin": "0" }, part);
  const node = h("div", { class: "intake__progress" }, bar, button(texts.report.cancel, () => cancel(intake), { kind: "button--s" }));
  return {
    node,
    render() {
      node.hidden = intake.took !== null;
      const done = doneCount(intake);
      setAttribute(bar, "aria-valuemax", intake.total);
      setAttribute(bar, "aria-valuenow", done);
      setAttribute(bar, "aria-valuetext", texts.report.reading(done, intake.total));
      setProperty(part, "--v", (done / Math.max(1, intake.total)).toFixed(3));
    },
  };
}

function rowsOf(intake) {
  const { perClass, loose, again, leftOut, skipped } = intake;
  const pairs = [...perClass].map(([id, n]) => [findClass(id)?.name, n]).filter(([name]) => name !== undefined);
  const read = pairs.reduce((sum, [, n]) => sum + n, 0);
  const shown = skipped.slice(0, intake.shown ?? FIRST_SKIPPED);
  return [
    read > 0 && row(texts.report.byClass(read), texts.report.perClass(pairs)),
    loose > 0 && row(texts.report.loose(loose), texts.report.looseText),
    again.length > 0 && row(texts.report.again(again.length), texts.report.againText(again)),
    leftOut > 0 && row(texts.report.leftOut(leftOut), texts.report.leftOutText),
    ...shown.map(skippedRow),
    skipped.length > shown.length && moreRow(intake, shown.length),
    intake.total + skipped.length + leftOut === 0 && row(texts.report.nothing, texts.report.nothingText),
  ].filter(Boolean);
}

function row(term, text) {
  return h("div", {}, h("dt", {}, term), h("dd", {}, text));
}

function skippedRow({ name, zip, reason }) {
  const where = zip && h("span", { class: "reasons__zip" }, texts.report.inZip, " ", named(zip, { class: "clipped" }));
  return h("div", { class: "is-skipped" }, h("dt", {}, icon("cross"), named(name, { class: "clipped" }), where), h("dd", {}, reason));
}

function moreRow(intake, shown) {
  const all = intake.skipped.length;
  const showMore = () => { intake.shown = shown + MORE_SKIPPED; changed(); };
  const text = all - shown > MORE_SKIPPED ? texts.report.more(MORE_SKIPPED) : texts.report.all(all);
  return h("div", {}, h("dt", {}, h("button", { class: "link", type: "button", onclick: showMore }, text)), h("dd"));
}
