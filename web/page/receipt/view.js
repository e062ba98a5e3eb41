/** The receipt: what came of asking the file, and what the file is. The one sheet that stays white in the dark. */

import { say } from "../announcer.js";
import { h, icon, place, setIcon, setProperty, setText } from "../elements.js";
import { texts } from "../texts/texts.js";
import { toClipboard } from "../views/buttons.js";

/** `render(check, fileName)`: see checking.js. */
export function receiptPart() {
  const of = h("span", { class: "receipt__of" });
  const got = h("span");
  const mark = icon("wait");
  const claim = h("span");
  const part = h("span", { class: "wedge__part" });
  const wedge = h("div", { class: "wedge", "aria-hidden": "true" }, part);
  const rows = h("dl", { class: "receipt__rows" });
  const foot = h("p", { class: "receipt__foot" });
  const node = h("section", { class: "receipt", "aria-labelledby": "h-receipt" },
    h("h2", { class: "receipt__title", id: "h-receipt" }, texts.receipt.title), h("p", { class: "receipt__big" }, got, of),
    h("p", { class: "receipt__claim" }, mark, claim), wedge, rows, foot);
  let drawn = "";

  function render(check, fileName) {
    const isOver = check.outcome !== null;
    setText(got, texts.words.number(isOver ? check.outcome.same : check.done));
    setText(of, `/${texts.words.number(isOver ? check.outcome.pictures : check.pictures.length)}`);
    setText(claim, texts.receipt.claim(check));
    setIcon(mark, { same: "check", making: "wait", checking: "wait" }[check.phase] ?? "cross");
    node.classList.toggle("receipt--bad", check.phase === "differs" || check.phase === "failed");
    wedge.hidden = isOver;
    setProperty(part, "--v", check.pictures.length > 0 ? check.done / check.pictures.length : 0);
    setText(foot, texts.receipt.foot(check));
    const now = JSON.stringify([check.edition, check.phase, fileName]);
    if (now !== drawn) place(rows, factsOf(check, fileName).map(([term, ...what]) => h("div", {}, h("dt", {}, term), h("dd", {}, h("bdi", {}, ...what)))));
    drawn = now;
  }

  return { node, render };
}

function factsOf({ phase, outcome }, fileName) {
  const words = texts.receipt;
  if (!outcome) return [[words.file, fileName]];
  const { file, labels, sha256, checked, largest } = outcome;
  const asked = [[words.largest, words.difference(largest)], [words.file, fileName]];
  const at = [words.checked, words.time(checked)];
  if (phase === "differs") return [...asked, at];
  return [...asked, [words.size, words.bytes(file.size)], [words.classes, texts.words.number(labels.length)], [words.input, inputOf(outcome)], [words.hash, hash(sha256)], at];
}

function inputOf({ pictureInput, preprocessing }) {
  if (pictureInput) return texts.receipt.anySize;
  const { width, height } = JSON.parse(preprocessing).steps.find(({ op }) => op === "center-crop");
  return texts.receipt.sizes(width, height);
}

/** Its two ends; all of it to the clipboard. */
function hash(sha256) {
  const copy = async ({ currentTarget }) => {
    await toClipboard(sha256, currentTarget);
    say(texts.page.copied);
  };
  const ends = `${sha256.slice(0, 4)}…${sha256.slice(-4)}`;
  return h("button", { class: "receipt__hash", type: "button", title: sha256, "aria-label": texts.receipt.copyHash(ends), onclick: copy }, ends);
}
