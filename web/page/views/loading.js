/** What is being loaded, stage by stage, and what to do when it broke off. */

import { h, icon, place, setAttribute, setIcon, setProperty, setText } from "../elements.js";
import { secondsLeft, start } from "../start.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

const ICONS = { waits: "wait", now: "drop", done: "check", failed: "cross" };

export function loading() {
  const title = h("h2", { class: "title", id: "h-loading" });
  const text = h("p", { class: "text" });
  const retry = button(texts.load.failed.retry, start, { kind: "button--next", after: "retry" });
  const facts = h("dl", { class: "fault-facts" });
  const failure = h("div", { class: "loading__failure", role: "alert" });
  const head = h("div", { class: "loading__head" }, title, text, failure);
  const parts = state.load.stages.map(({ id }) => ({ bar: h("span", { class: "wedge__part" }), row: stageRow(id) }));
  const wedge = h("div", { class: "wedge loading__wedge", role: "progressbar", "aria-label": texts.load.label, "aria-valuemin": "0", "aria-valuemax": "100" }, parts.map(({ bar }) => bar));
  const node = h("section", { class: "loading", "aria-labelledby": "h-loading" }, head, wedge, h("ol", { class: "stages" }, parts.map(({ row }) => row.node)));
  return {
    node,
    render() {
      node.hidden = state.load.phase === "ready";
      if (node.hidden) return;
      const failed = state.load.phase === "failed";
      setText(title, failed ? failedTitle() : texts.load.title(secondsLeft()));
      setText(retry.firstChild, startFailed() ? texts.load.failed.retryStart : texts.load.failed.retry);
      setText(text, failed ? texts.load.failed.safe : state.pictures.size > 0 ? texts.load.textWithPictures : texts.load.text);
      place(failure, failed ? [explain(facts), h("p", { class: "buttons" }, retry)] : []);
      state.load.stages.forEach((stage, index) => renderStage(stage, parts[index]));
      renderWedge(wedge);
    },
  };
}

function stageRow(id) {
  const size = h("span", { class: "stage__size" });
  const word = h("span", { class: "stage__state" });
  const node = h("li", { class: "stage" }, icon("wait"), h("span", { class: "stage__name" }, texts.load.stages[id]), size, word);
  return { node, size, word };
}

function renderStage(stage, { bar, row }) {
  for (const name of ["done", "now", "failed"]) {
    row.node.classList.toggle(`is-${name}`, stage.state === name);
    bar.classList.toggle(`is-${name}`, stage.state === name);
  }
  setAttribute(row.node, "aria-current", stage.state === "now" && "step");
  setIcon(row.node, ICONS[stage.state]);
  setText(row.size, texts.load.size(stage));
  setText(row.word, stage.id === "start" && stage.state === "now" ? texts.load.states.starting : texts.load.states[stage.state]);
  setProperty(bar, "--w", weight(stage));
  setProperty(bar, "--v", shareOf(stage).toFixed(3));
}

/** The start loads nothing but takes time: it gets a twelfth of the bar. */
function weight(stage) {
  const bytes = state.load.stages.reduce((sum, one) => sum + (one.id === "start" ? 0 : one.total), 0);
  return stage.id === "start" ? Math.max(1, bytes / 1e6 / 11).toFixed(2) : Math.max(1, stage.total / 1e6).toFixed(2);
}

function shareOf(stage) {
  if (stage.state === "done") return 1;
  return stage.total > 0 ? Math.min(1, stage.loaded / stage.total) : 0;
}

function renderWedge(wedge) {
  const files = state.load.stages.filter((stage) => stage.id !== "start");
  const loaded = files.reduce((sum, stage) => sum + stage.loaded, 0);
  const total = files.reduce((sum, stage) => sum + stage.total, 0);
  setAttribute(wedge, "aria-valuenow", total > 0 ? Math.floor((loaded / total) * 100) : 0);
  setAttribute(wedge, "aria-valuetext", texts.load.progress(loaded, total));
}

function failedTitle() {
  return texts.load.failed.titles[state.load.stages.find((stage) => stage.state === "failed").id];
}

function startFailed() {
  return state.load.stages.at(-1).state === "failed";
}

function explain(facts) {
  const { message, code, detail } = state.load.error;
  const asked = code === "http" || code === "network"; // else the answer was not what went wrong
  const words = texts.load.failed;
  const rows = detail?.cause
    ? [[words.file, fileName(detail.file)], ...(asked ? [[words.status, detail.status ? String(detail.status) : words.noStatus]] : []), [words.cause, detail.cause]]
    : [[words.cause, message]];
  if (facts.textContent !== rows.flat().join("")) facts.replaceChildren(...rows.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
  return facts;
}

function fileName(url) {
  return url.split("/").at(-1) || url;
}
