/** The top of the page: its mark, the seal, the lamp. */

import { h, icon, setIcon, setText } from "../elements.js";
import { state } from "../state.js";
import { en } from "../texts/en.js";
import { openPrivacy } from "./privacy.js";

const REMEMBERED = "pagetrain.theme";

export function bar() {
  const sealText = h("span");
  const seal = h("button", { class: "bar__seal", type: "button", "aria-haspopup": "dialog", onclick: openPrivacy }, icon("unsealed"), sealText);
  const node = h("header", { class: "bar" },
    h("a", { class: "bar__mark", href: "#collect" }, icon("mark"), en.page.name), seal, lamp());
  return {
    node,
    render() {
      setText(sealText, sealLine());
      setIcon(seal, state.seal.closed ? "seal" : "unsealed");
    },
  };
}

function sealLine() {
  if (state.seal.closed) return en.seal.closed(state.seal.requests);
  return state.load.phase === "ready" ? en.seal.open : en.seal.before;
}

/** Light or dark follows the system until the person says otherwise. */
function lamp() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const text = h("span", { class: "bar__lamp-text" });
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    setText(text, isDark() ? en.page.lightsOn : en.page.lightsOff);
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
