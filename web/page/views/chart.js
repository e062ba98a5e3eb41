/** A line chart of one value by round: solid for pictures kept aside, dashed for those it learns from. */

import { h, setAttribute, setText, svg } from "../elements.js";
import { texts } from "../texts/texts.js";

const WIDTH = 200;
const HEIGHT = 100;

/**
 * `render({ value, limit, limitText, series: { aside: number[], learning: number[] }, rounds, best, format })`:
 * values from 0 to `limit`, one for each round so far, of `rounds` in all; `best`: the round that is kept, marked.
 */
export function chart(title) {
  const now = h("b");
  const top = h("span", { class: "chart__top" });
  const lines = { learning: svg("path", { class: "chart__line chart__line--dash" }), aside: svg("path", { class: "chart__line" }) };
  const mark = svg("path", { class: "chart__best" });
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" },
    svg("path", { class: "chart__grid", d: "M0 .5H200M0 50H200M0 99.5H200" }), mark, lines.learning, lines.aside);
  const last = h("span");
  const node = h("figure", { class: "chart" },
    h("figcaption", { class: "chart__head" }, h("span", {}, title), now),
    h("div", { class: "chart__plot" }, top, h("span", { class: "chart__bottom" }, texts.train.charts.none), plot),
    h("p", { class: "chart__foot" }, h("span", {}, "1"), last));
  return {
    node,
    render({ value, limit, limitText, series, rounds, best, format }) {
      setText(now, value);
      setText(top, limitText);
      setText(last, texts.train.charts.rounds(rounds));
      for (const [name, values] of Object.entries(series)) setAttribute(lines[name], "d", pathOf(values, limit, rounds));
      setAttribute(mark, "d", best ? `M${xOf(best - 1, rounds)} 0V${HEIGHT}` : null);
      setAttribute(plot, "aria-label", describe(title, series, format));
    },
  };
}

function pathOf(values, limit, rounds) {
  if (values.length === 0) return null;
  const y = (value) => (HEIGHT - HEIGHT * Math.min(1, value / limit)).toFixed(1);
  const points = values.map((value, index) => `${xOf(index, rounds)} ${y(value)}`);
  return points.length === 1 ? `M${points[0]}h.1` : `M${points.join("L")}`;
}

function xOf(index, rounds) {
  return ((WIDTH * index) / Math.max(1, rounds - 1)).toFixed(1);
}

function describe(title, { aside, learning }, format) {
  const values = aside.length > 0 ? aside : learning;
  return values.length === 0 ? title : texts.train.charts.describe(title, format(values[0]), format(values.at(-1)), values.length);
}

/** What the two kinds of line mean. */
export function chartKey() {
  const sample = (kind) => svg("svg", { viewBox: "0 0 28 8", class: "chart-key__line", "aria-hidden": "true" }, svg("path", { class: `chart__line ${kind}`, d: "M0 4H28" }));
  return h("p", { class: "chart-key" }, sample(""), h("span", {}, texts.train.charts.aside), sample("chart__line--dash"), h("span", {}, texts.train.charts.learning));
}
