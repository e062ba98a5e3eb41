/** Puts the page together: its frame, its five steps, what it listens to. */

import { isAnythingKept } from "../module/kept_files.js";
import { announcer, say } from "./announcer.js";
import { listenForLeaving, turnOff } from "./camera.js";
import { offerClasses } from "./classes.js";
import { h, place, setText } from "./elements.js";
import { changing } from "./keeping/changing.js";
import { guardUnsaved, keepUp, wake } from "./keeping/keeper.js";
import { isLearning } from "./learning.js";
import { goOver } from "./offline/newer.js";
import { workNotices } from "./project/notices.js";
import { giveWay } from "./receipt/checking.js";
import { forgetAnswers } from "./remedies.js";
import { stagesAtFirst, start } from "./start.js";
import { changed, state, subscribe } from "./state.js";
import { speak, texts } from "./texts/texts.js";
import { watchTwins } from "./twins.js";
import { bar } from "./views/bar.js";
import { cameraSheet } from "./views/camera_sheet.js";
import { collect } from "./views/collect.js";
import { done } from "./views/done.js";
import { listenForDrops, listenForPaste, takesToTry } from "./views/dragging.js";
import { restarted, unexpected } from "./views/faults.js";
import { keptNotices } from "./views/kept_notices.js";
import { languages } from "./views/languages.js";
import { largePrint } from "./views/large.js";
import { look } from "./views/look.js";
import { newer } from "./views/newer.js";
import { openPrivacy } from "./views/privacy.js";
import { projects } from "./views/projects.js";
import { listenForEscape } from "./views/selection.js";
import { STEPS, steps } from "./views/steps.js";
import { take } from "./views/take.js";
import { train } from "./views/train.js";
import { tryStep } from "./views/try.js";
import { listenForUndo } from "./views/undo.js";

state.load.stages = stagesAtFirst();
listenForDrops(showTaken); // from the start: the browser would open them in the place of the page
listenForPaste(showTaken);
await changing(async () => {
  await speak(document.documentElement.lang); // which language.js has chosen
  if (!(await wake())) offerClasses();
});

const main = h("main", { id: "main", tabindex: "-1" });
const top = bar();
const nav = steps();
const over = curtain();
const sheets = [cameraSheet(), largePrint()];
const notices = [restarted(), unexpected(), keptNotices(go), workNotices(), newer()];
const screens = { collect: collect(go), train: train(go), look: look(go), try: tryStep(go), take: take(go), done: done(go), projects: projects(go) };
const skip = h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, texts.page.skip);
const foot = h("footer", { class: "foot" }, h("p", {}, texts.page.made), h("p", {}, h("button", { class: "link", type: "button", onclick: openPrivacy }, texts.page.check)), languages());

function go(step) {
  location.hash = step;
}

/** The step that the address names. The heading gets the focus, so that keyboard and screen reader begin where the eye does. */
function arrive() {
  const wanted = location.hash.slice(1);
  const named = [...STEPS, /** @type {const} */ ("done"), /** @type {const} */ ("projects")].find((id) => id === wanted) ?? "collect";
  const step = named === "done" && !state.take.taken ? "take" : named; // an address that was kept
  const isNew = step !== state.step;
  if (isNew) turnOff();
  if (isNew && state.step === "projects") screens.projects.leave();
  state.step = step;
  giveWay();
  render();
  if (!isNew) return;
  scrollTo(0, 0);
  main.querySelector("h1")?.focus({ preventScroll: true });
  say(step === "done" ? texts.take.saved(state.take.taken.fileName) : nameOfStep(step));
}

function nameOfStep(step) {
  if (step === "done") return texts.done.name;
  return step === "projects" ? texts.keep.projects : texts.steps.names[step];
}

function render() {
  const focused = document.activeElement;
  const screen = screens[state.step];
  document.title = texts.page.title(nameOfStep(state.step));
  top.render();
  nav.render();
  over.render();
  for (const sheet of sheets) sheet.render();
  for (const notice of notices) notice.render();
  screen.render();
  place(main, [...notices.map(({ node }) => node), screen.node]);
  keepFocus(focused);
}

/** What had the focus may be gone, as a report that was closed: keyboard and screen reader go on from the heading, not from nowhere. */
function keepFocus(before) {
  const { activeElement: now, body } = document;
  if (before !== body && !before?.checkVisibility() && (now === body || now === before)) main.querySelector("h1")?.focus({ preventScroll: true });
}

/** What a person reads while they hold files over the page. */
function curtain() {
  const text = h("p", { class: "curtain__text" });
  const node = h("div", { class: "curtain", "aria-hidden": "true" }, h("p", { class: "curtain__title" }, texts.opening.letGo), text);
  return { node, render: () => setText(text, takesToTry() ? texts.opening.letGoTry : texts.opening.letGoText) };
}

/** After files were dropped on another step, the person sees what became of them; unless it is learning just now. */
function showTaken() {
  if (!isLearning()) go("collect");
}

/** The trainer's files, which the build lists in index.html, come from now on: megabytes, which the page itself did not have to wait for. */
function fetchAhead() {
  const links = /** @type {HTMLTemplateElement | null} */ (document.getElementById("ahead"));
  if (links) document.head.append(links.content);
}

/** The page as it was left, or as it is at first: nothing is drawn before that is known. Nothing of the trainer's is asked for before the page can be used. */
function begin() {
  document.body.append(skip, top.node, nav.node, main, foot, announcer, over.node, ...sheets.map(({ node }) => node));
  subscribe(forgetAnswers);
  subscribe(goOver);
  subscribe(keepUp);
  subscribe(render);
  watchTwins();
  addEventListener("hashchange", arrive);
  listenForLeaving();
  listenForEscape();
  listenForUndo();
  guardUnsaved();
  arrive();
  changed();
  performance.mark("pagetrain-usable");
  isAnythingKept().then((kept) => kept || fetchAhead());
  start();
  setInterval(() => state.load.phase === "loading" && changed(), 1000);
  setInterval(changed, 20_000); // "2 min ago"
}

begin();
