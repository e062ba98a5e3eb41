/** The top of the page: its mark, the seal, the lamp. */

import { h, hidden, icon, setIcon, setText } from "../elements.js";
import { nameNow } from "../keeping/keeper.js";
import { state } from "../state.js";
import { texts } from "../texts/texts.js";
import { openPrivacy } from "./privacy.js";

const REMEMBERED = "pagetrain.theme";

export function bar() {
  const sealText = h("span");
  const seal = h("button", { class: "bar__seal", type: "button", "aria-haspopup": "dialog", onclick: openPrivacy }, icon("unsealed"), sealText);
  const project = projectPart();
  const node = h("header", { class: "bar" },
    h("a", { class: "bar__mark", href: "#collect" }, icon("mark"), texts.page.name), project.link, project.saved, seal, lamp());
  return {
    node,
    render() {
      node.classList.toggle("is-kept", project.render());
      setText(sealText, sealLine());
      setIcon(seal, state.seal.closed ? "seal" : "unsealed");
    },
  };
}

/** The project that is open, the way to the others, and when it was saved. Answers whether there is anything of that. */
function projectPart() {
  const name = h("bdi", { class: "bar__name" });
  const link = h("a", { class: "bar__project", href: "#projects" }, name, icon("more"), hidden(texts.keep.projects));
  const saved = h("p", { class: "bar__saved" });
  return {
    link,
    saved,
    render() {
      const { phase, projects, elsewhere } = state.keeping;
      const any = phase !== "off" && (phase !== "idle" || projects?.length > 0 || elsewhere !== null);
      link.hidden = !any;
      setText(name, state.step === "projects" ? texts.keep.projects : any ? nameNow() : "");
      setText(saved, savedLine());
      saved.classList.toggle("is-bad", ["full", "failed", "off"].includes(phase));
      return any || saved.textContent !== "";
    },
  };
}

function savedLine() {
  const { phase, at, left, since, projects } = state.keeping;
  if (state.step === "projects" && projects?.length > 0 && phase !== "full") return texts.keep.inBrowser(projects.reduce((sum, { bytes }) => sum + bytes, 0));
  if (phase === "saving") return texts.keep.saving(left);
  if (phase === "saved") return texts.keep.saved(at, Date.now());
  if (phase === "full" || phase === "failed") return texts.keep.notSince(since);
  return phase === "off" && state.pictures.size > 0 ? texts.keep.notKept : "";
}

function sealLine() {
  if (state.seal.closed) return texts.seal.closed(state.seal.requests);
  return state.load.phase === "ready" ? texts.seal.open : texts.seal.before;
}

/** Light or dark follows the system until the person says otherwise. */
function lamp() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const text = h("span", { class: "bar__lamp-text" });
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    setText(text, isDark() ? texts.page.lightsOn : texts.page.lightsOff);
  };
  system.addEventListener("change", () => show());
  show(remembered());
  return h("button", { class: "bar__lamp", type: "button", onclick: () => show(remember(isDark() ? "light" : "dark")) }, icon("lamp"), text);
}

/** Storage may be forbidden; then the lamp forgets. */
function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem(REMEMBERED, theme);
  } catch { /* not kept */ }
  return theme;
}
