/** Making and updating elements. Everything a person wrote reaches the page through textContent or an attribute, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `on…` keys are listeners; `true` sets an empty attribute; `false`, `null` and `undefined` leave it out.
 * Children are nodes or strings; empty ones are left out.
 */
export function h(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else setAttribute(node, name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return node;
}

/** One of the symbols that stand in index.html, beside words that say the same. */
export function icon(name) {
  return svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `#${name}` }));
}

export function setIcon(node, name) {
  setAttribute(node.querySelector("use"), "href", `#${name}`);
}

/** A name that a person chose: isolated, so its direction does not spill into the sentence around it. */
export function named(name, attributes = {}) {
  return h("bdi", attributes, name);
}

export function hidden(text) {
  return h("span", { class: "hidden" }, text);
}

export function setAttribute(node, name, value) {
  if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value === true ? "" : value)) node.setAttribute(name, value === true ? "" : value);
}

/** Writes only what differs, so that a live region speaks once and a selection inside survives. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A custom property. The policy forbids style attributes, the object model is free. */
export function setProperty(node, name, value) {
  if (node.style.getPropertyValue(name) !== String(value)) node.style.setProperty(name, value);
}

/** Puts `children` into `parent` in this order; what stands there already is not touched, so focus and scrolling stay. */
export function place(parent, children) {
  const wanted = new Set(children.filter(Boolean));
  for (const node of [...parent.childNodes]) if (!wanted.has(node)) node.remove();
  let next = parent.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}

/**
 * A list that keeps one part for each item: `make(item)` answers `{ node, render(item, index), leave?() }`.
 * The function it answers fills the list, with nodes after and before the parts. Parts live as long as an item with their key is in the list; `leave` is their end.
 */
export function keyed(parent, keyOf, make) {
  let parts = new Map();
  return (items, after = [], before = []) => {
    const next = new Map();
    items.forEach((item, index) => {
      const part = parts.get(keyOf(item)) ?? make(item);
      part.render(item, index);
      next.set(keyOf(item), part);
    });
    for (const [key, part] of parts) if (next.get(key) !== part) part.leave?.();
    parts = next;
    place(parent, [...before, ...[...next.values()].map((part) => part.node), ...after]);
    return parts;
  };
}
