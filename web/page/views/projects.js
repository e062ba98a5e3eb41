/** All that is kept in this browser: to open, rename and delete. */

import { say } from "../announcer.js";
import { h, hidden, icon, keyed, place, setText } from "../elements.js";
import { takeIn } from "../intake.js";
import { askPromise, deleteProject, listProjects, newProject, openProject, renameProject } from "../keeping/keeper.js";
import { lookThroughPicked } from "../listing.js";
import { saveProject } from "../project/save_part.js";
import { state } from "../state.js";
import { stemOf } from "../taking.js";
import { texts } from "../texts/texts.js";
import { wantThumbnail } from "../thumbnails.js";
import { button, picker } from "./buttons.js";
import { askName, confirmDeletion } from "./confirm.js";
import { printOf } from "./frames.js";

/** @param {(step: string) => void} go */
export function projects(go) {
  const words = texts.keep;
  const start = button(words.new, async () => { if (await newProject()) go("collect"); }, { before: "plus" });
  const file = picker(button(words.openFile, () => {}), (files) => { go("collect"); lookThroughPicked(files, takeIn); });
  const refusal = h("p", { class: "note note--error", role: "alert" });
  const done = h("p", { class: "note" });
  const title = h("h1", { class: "display", tabindex: "-1" }, words.projects);
  const list = h("ul", { class: "projects" });
  const fill = keyed(list, ({ id }) => id, ({ id }) => entry(id, go, onDeleted));
  const none = h("p", { class: "text" }, words.none);
  const foot = promisePart();
  const node = h("div", { class: "screen" },
    h("header", { class: "head head--row" }, title, h("p", { class: "buttons" }, file, start)), refusal, done, none, list, foot.node);
  let wasShown = false;

  function onDeleted(name, next) {
    setText(done, words.deleted(name));
    done.hidden = false;
    say(words.deleted(name));
    (next?.querySelector("h2") ?? title).focus();
  }

  return {
    node,
    render() {
      if (!wasShown) listProjects();
      if (!wasShown) done.hidden = true;
      wasShown = true;
      const all = state.keeping.projects ?? [];
      setText(refusal, state.keeping.refusal ?? "");
      refusal.hidden = state.keeping.refusal === null;
      none.hidden = state.keeping.projects === null || all.length > 0;
      foot.render(all.length > 0);
      fill(all);
    },
    leave() {
      wasShown = false;
      foot.leave();
      state.keeping.refusal = null;
    },
  };
}

/** @param {(name: string, next: Element | null) => void} onDeleted `next`: the entry beside it, if there is one */
function entry(id, go, onDeleted) {
  const words = texts.keep;
  const strip = h("ul", { class: "strip" });
  const cover = keyed(strip, (one) => one.id, frame);
  const title = h("h2", { class: "title", tabindex: "-1" });
  const text = h("p", { class: "text" });
  const [saved, onDisk] = [h("dd"), h("dd")];
  const never = icon("alert");
  const diskText = h("span");
  const open = h("button", { class: "tool", type: "button", onclick: async () => { if (await openProject(id)) { say(words.opened(now.shownName)); go("collect"); } } });
  const tool = (label, act) => h("button", { class: "tool", type: "button", onclick: act }, label, hidden(""));
  const rename = tool(words.rename, async () => {
    const name = await askName(now.name ?? "");
    if (name !== null) await renameProject(id, name);
  });
  const remove = tool(words.delete, async () => {
    const { shownName, pictures } = now;
    const next = () => node.nextElementSibling ?? node.previousElementSibling;
    if (!(await confirmDeletion(shownName, pictures))) return;
    const beside = next();
    if (await deleteProject(id)) onDeleted(shownName, beside);
  });
  const disk = saveProject({
    label: words.toDisk, stem: () => stemOf(now.shownName) || texts.take.defaultStem, look: (act) => tool(words.toDisk, act), before: () => openProject(id),
    after: async () => {
      await listProjects();
      requestAnimationFrame(() => disk.act.focus()); // the entry goes to the top
    },
  });
  const node = h("li", { class: "project" }, strip,
    h("div", { class: "project__text" }, title, text, disk.told, disk.fault),
    h("dl", { class: "project__saved" }, h("div", {}, h("dt", {}, words.keptSince), saved), h("div", {}, h("dt", {}, words.onDisk), onDisk)),
    h("p", { class: "project__tools" }, open, disk.act, rename, remove));
  let now;
  return {
    node,
    /** @param {import("../state.js").Listed} project */
    render(project) {
      now = project;
      const isOpen = id === state.keeping.project?.id;
      setText(title, project.shownName);
      setText(text, words.holds(project));
      setText(saved, words.savedAgo(project.savedAt, Date.now()));
      const label = isOpen ? words.isOpen : words.open;
      if (open.dataset.said !== label + project.shownName) open.replaceChildren(label, hidden(words.of(project.shownName)));
      open.dataset.said = label + project.shownName;
      setText(diskText, project.onDisk === null ? words.never : words.savedAgo(project.onDisk, Date.now()));
      place(onDisk, [project.onDisk === null && never, diskText]);
      disk.render();
      for (const one of [disk.act, rename, remove]) setText(one.querySelector(".hidden"), words.of(project.shownName));
      strip.hidden = project.cover.length === 0;
      cover(project.cover);
    },
  };
}

function frame(picture) {
  const node = h("li", {}, h("span", { class: "frame" }));
  let shown;
  return {
    node,
    render(one) {
      wantThumbnail(one);
      if (one.thumb === undefined || one.thumb === shown) return;
      shown = one.thumb;
      place(node.firstElementChild, [printOf(one)]);
    },
  };
}

/** Whether the browser may clear it, and what can be done about that. */
function promisePart() {
  const text = h("p", { class: "note", tabindex: "-1" });
  const answer = h("p", { class: "note", tabindex: "-1" });
  const ask = button(texts.keep.ask, askIt, { kind: "button--s" });
  const node = h("section", { class: "promise" }, text, h("p", { class: "buttons" }, ask), answer);
  let wasAsked = false;

  async function askIt() {
    await askPromise();
    wasAsked = true;
    show();
    (state.keeping.promise ? text : answer).focus(); // the button went
  }

  function show() {
    const { promise } = state.keeping;
    setText(text, promise ? texts.keep.promised : texts.keep.mayGo);
    ask.hidden = promise !== false || wasAsked;
    setText(answer, promise === false && wasAsked ? texts.keep.notPromised : "");
  }

  return {
    node,
    render(any) {
      node.hidden = !any;
      show();
    },
    leave() { wasAsked = false; },
  };
}
