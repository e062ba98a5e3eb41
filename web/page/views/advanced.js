/** Settings of training, for those who want them. Empty means: chosen for you. */

import { h } from "../elements.js";
import { learn, whyNot } from "../learning.js";
import { say } from "../announcer.js";
import { weigh } from "../remedies.js";
import { changed, state } from "../state.js";
import { texts } from "../texts/texts.js";
import { button } from "./buttons.js";

/** What each field may hold, and what its number becomes as an option of training; `shown`: and back. */
const FIELDS = {
  epochs: { min: 1, max: 1000, step: 1, option: Number },
  batchSize: { min: 1, max: 4096, step: 1, option: Number },
  learningRate: { min: 0.00001, max: 1, step: "any", option: Number },
  folds: { min: 2, max: 20, step: 1, option: Number },
  validation: { min: 0, max: 50, step: 1, option: (percent) => Number(percent) / 100, shown: (share) => Math.round(100 * share) },
  seed: { min: 0, max: 2 ** 31 - 1, step: 1, option: Number },
};

export function advanced() {
  const fields = Object.entries(FIELDS).map(([name, bounds]) => field(name, bounds));
  const choice = layers();
  const kinds = variants();
  const weights = check("weights", texts.train.balanced, (isWanted) => weigh(isWanted, isWanted ? texts.train.weighted : texts.advice.undone));
  const form = h("form", { class: "settings", onsubmit: (event) => { event.preventDefault(); begin(); } }, fields.map(({ node }) => node), choice, weights, kinds.node,
    h("p", { class: "note" }, texts.train.fieldsText), h("p", { class: "buttons" }, submit()));
  const node = h("details", { class: "detail" }, h("summary", {}, texts.train.advanced), form);
  let drawn;

  /** Another project has settings of its own. */
  function fill({ settings, layers: wanted }) {
    for (const one of fields) one.fill(settings);
    choice.lastChild.value = wanted ?? choice.lastChild.options[0].value;
    kinds.fill(settings.augment);
  }

  return {
    node,
    render() {
      const { settings } = state.training;
      if (settings !== drawn) fill(state.training);
      drawn = settings;
      choice.hidden = state.layersOffered.length < 2;
      weights.firstChild.checked = settings.classWeights === "balanced";
    },
  };
}

function submit() {
  const node = button(texts.train.withThese, () => {}, { kind: "button--s" });
  node.type = "submit";
  return node;
}

/** With a seed anew: the same seed gives the same model only from the same beginning. */
function begin() {
  const why = whyNot();
  if (why) say(why);
  else learn({ anew: "seed" in state.training.settings });
}

/** @param {string} name @param {any} kind */
function field(name, { option, shown = String, ...bounds }) {
  const input = h("input", { class: "field__box", type: "number", name, inputmode: "decimal", placeholder: texts.train.auto, ...bounds });
  const read = () => {
    const { settings } = state.training;
    if (input.value === "" || !input.checkValidity()) delete settings[name];
    else settings[name] = option(input.value);
    changed(); // it is kept with the project
  };
  input.addEventListener("input", read);
  input.addEventListener("change", () => {
    if (input.checkValidity()) return;
    input.value = nearest(input.valueAsNumber, bounds);
    read();
    say(`${texts.train.fields[name]}: ${input.value || texts.train.auto}`);
  });
  const node = h("label", { class: "field" }, h("span", { class: "field__label" }, texts.train.fields[name]), input);
  return { node, fill: (settings) => { input.value = settings[name] === undefined ? "" : shown(settings[name]); } };
}

/** What is shown is what it trains with: the number next to what was typed that the field may hold, "" for what is no number. */
function nearest(number, { min, max, step }) {
  if (Number.isNaN(number)) return "";
  return String(Math.min(max, Math.max(min, step === 1 ? Math.round(number) : number)));
}

function layers() {
  const options = Object.entries(texts.train.layersOffered).map(([value, text]) => h("option", { value }, text));
  const choice = h("select", { class: "field__box", onchange: () => { state.training.layers = choice.value; changed(); } }, options);
  return h("label", { class: "field field--stack" }, h("span", { class: "field__label" }, texts.train.layers), choice);
}

function check(name, text, onChange) {
  const input = h("input", { class: "check__box", type: "checkbox", name, onchange: () => onChange(input.checked) });
  return h("label", { class: "check" }, input, h("span", {}, text));
}

/** Which variants of each picture it learns from beside the picture itself. */
function variants() {
  const all = Object.entries(texts.train.variants).map(([name, text]) => ({ name, node: check(name, text, (isWanted) => choose(name, isWanted)) }));
  const node = h("fieldset", { class: "checks" }, h("legend", { class: "field__label" }, texts.train.augment), all.map((one) => one.node), h("p", { class: "note" }, texts.train.augmentText));
  return { node, fill: (augment) => all.forEach((one) => { one.node.firstChild.checked = augment?.[one.name] === true; }) };
}

function choose(name, isWanted) {
  const { settings } = state.training;
  const augment = { ...settings.augment, [name]: isWanted };
  if (augment.mirror || augment.crop) settings.augment = augment;
  else delete settings.augment;
  changed();
}
