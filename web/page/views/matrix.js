/** The confusion matrix: rows are what the person said, columns what it said. Cells with pictures open them. */

import { h, hidden, named, svg } from "../elements.js";
import { nameAt } from "../judgement.js";
import { open } from "../looking.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";

/** From so many classes on the cells keep a width at which names can be read, and the table scrolls sideways. */
export const WIDE = 10;

export function matrix() {
  const body = h("div", { class: "matrix-scroll", tabindex: "0", role: "region", "aria-label": texts.look.matrix });
  const more = h("p", { class: "note", hidden: true }, texts.look.matrixMore);
  const node = h("div", { class: "look__table" }, h("p", { class: "note", id: "matrix-note" }, texts.look.matrixNote), more, body);
  new ResizeObserver(() => { more.hidden = body.scrollWidth <= body.clientWidth; }).observe(body);
  let drawn = null;
  let cells = new Map();
  return {
    node,
    /** Drawn anew only for other counts, names or classes, so that focus and scrolling stay. @param {import("../state.js").Judgement} judgement */
    render(judgement) {
      const names = judgement.classes.map((_, place) => nameAt(judgement, place));
      const now = JSON.stringify([judgement.classes.map(({ id }) => id), names, judgement.counts]);
      if (now !== drawn) {
        const focused = [...cells].find(([, cell]) => cell === document.activeElement)?.[0];
        cells = new Map();
        body.replaceChildren(table(judgement, names, cells));
        cells.get(focused)?.focus();
      }
      drawn = now;
      for (const [key, cell] of cells) cell.setAttribute("aria-expanded", String(key === keyOf(state.look.open)));
    },
  };
}

function keyOf(cell) {
  return cell ? `${cell.truth} ${cell.said}` : "";
}

/** The button that opens a cell, to give the focus back to it. */
export function cellButton(cell) {
  return Array.from(document.querySelectorAll(`button[data-cell="${keyOf(cell)}"]`), (node) => /** @type {HTMLElement} */ (node)).find((node) => node.offsetParent !== null);
}

/** @returns {HTMLElement} opens the pictures of a cell, or closes them */
export function opener(cell, look, ...content) {
  const toggle = () => open(isOpen(cell) ? null : cell);
  return h("button", { class: look, type: "button", "data-cell": keyOf(cell), "aria-expanded": "false", onclick: toggle }, content);
}

export function isOpen(cell) {
  return keyOf(state.look.open) === keyOf(cell);
}

function table({ classes, counts }, names, cells) {
  const heads = names.map((name) => h("th", { scope: "col" }, named(name, { class: "matrix__name clipped", title: name })));
  const node = h("table", { class: `matrix ${classes.length >= WIDE ? "matrix--wide" : ""}`, "aria-describedby": "matrix-note" },
    h("thead", {},
      h("tr", {}, h("td", { class: "matrix__corner" }), h("th", { scope: "colgroup", colspan: classes.length, class: "matrix__axis" }, h("span", {}, texts.look.itSaid))),
      h("tr", {}, h("td", { class: "matrix__axis" }, texts.look.youSaid), heads)),
    h("tbody", {}, counts.map((row, truth) => h("tr", {}, h("th", { scope: "row" }, named(names[truth], { class: "matrix__name clipped", title: names[truth] })), row.map((n, said) => cell(truth, said, n))))));
  node.style.setProperty("--classes", String(classes.length));
  return node;

  function cell(truth, said, n) {
    if (n === 0) return h("td", { class: "cell cell--none" }, "0");
    const ids = { truth: classes[truth].id, said: classes[said].id };
    const isRight = truth === said;
    const share = n / counts[truth].reduce((sum, one) => sum + one, 0);
    const words = isRight ? texts.look.right(names[truth]) : texts.look.wrong(names[truth], names[said]);
    const look = isRight ? `cell cell--${Math.max(1, Math.round(5 * share))}` : "cell cell--wrong";
    const button = opener(ids, look, String(n), hidden(` ${words}`), !isRight && ring());
    cells.set(keyOf(ids), button);
    return h("td", {}, button);
  }
}

/** The grease pencil's ring: "look here", with words beside it. */
export function ring() {
  return svg("svg", { class: "ring", "aria-hidden": "true" }, svg("use", { href: "#ring" }));
}
