/** The classes as options of a select, and at the end a new one. */

import { h } from "../elements.js";

/** The value of the last option. */
export const NEW = "new";

/** Drawn anew only for other classes; what was chosen stays chosen. */
export function renderOptions(select, classes, { textOf, newText }) {
  const wanted = JSON.stringify(classes.map((one) => [one.id, one.name]));
  if (select.dataset.shown === wanted) return;
  const chosen = select.value;
  select.dataset.shown = wanted;
  select.replaceChildren(...classes.map((one) => h("option", { value: one.id }, textOf(one.name))), h("option", { value: NEW }, newText));
  if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
}
