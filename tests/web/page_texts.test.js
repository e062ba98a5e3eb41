// web/page/texts: every text that the page names exists, and every text that exists is named somewhere.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { en } from "../../web/page/texts/en.js";
import { percent, quoted } from "../../web/page/texts/words.js";

const PAGE = new URL("../../web/page/", import.meta.url);
const sources = readdirSync(PAGE, { recursive: true }).filter((path) => path.endsWith(".js")).map((path) => readFileSync(new URL(path, PAGE), "utf8"));

/** Dotted names that follow `texts.`; a short name for a part of it (`const words = texts.seal`) is written out. */
function namesIn(source) {
  const short = [...source.matchAll(/const (\w+) = texts\.([\w.]+);/g)];
  const whole = short.reduce((text, [, alias, name]) => text.replaceAll(new RegExp(`(?<![\\w.])${alias}\\.`, "g"), `texts.${name}.`), source);
  return [...whole.matchAll(/(?<![\w./])texts\.([a-zA-Z.]*[a-zA-Z])/g)].map(([, name]) => name);
}

function lookUp(name) {
  return name.split(".").reduce((part, key) => (typeof part === "string" || typeof part === "function" || Array.isArray(part) ? part : part?.[key]), en);
}

function leaves(part, path = []) {
  if (typeof part !== "object" || Array.isArray(part)) return [path.join(".")];
  return Object.entries(part).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

const used = [...new Set(sources.flatMap(namesIn))];

test("every text that is named exists", () => {
  assert.deepEqual(used.filter((name) => lookUp(name) === undefined), []);
});

test("every text is used", () => {
  const aliased = used.filter((name) => typeof lookUp(name) === "object" && !sources.some((source) => new RegExp(`const \\w+ = texts\\.${name};`).test(source)));
  assert.deepEqual(leaves(en).filter((leaf) => !used.some((name) => name === leaf || name.startsWith(`${leaf}.`)) && !aliased.some((name) => leaf.startsWith(`${name}.`))), []);
});

test("a share that is not quite all or nothing is not written as such", () => {
  assert.deepEqual([0, 0.001, 0.5, 0.999, 1].map(percent), ["0\u00a0%", "<1\u00a0%", "50\u00a0%", ">99\u00a0%", "100\u00a0%"]);
});

test("sizes keep to a unit people read", () => {
  assert.deepEqual([0, 999, 1000, 88_400, 999_499, 999_500, 18.6e6].map(en.seal.bytes), ["0", "999", "1", "88", "999", "1.0", "18.6"].map((n, i) => `${n}\u00a0${["bytes", "bytes", "KB", "KB", "KB", "MB", "MB"][i]}`));
});

test("a name in a sentence is one line, not endless, and isolated when it could turn the direction", () => {
  assert.equal(quoted("two\nlines"), "two lines");
  assert.equal(quoted("x".repeat(300)).length, 61);
  assert.equal(quoted("שלום"), "\u2068שלום\u2069");
  assert.equal(quoted("\u202egpj.exe"), "\u2068\u202egpj.exe\u2069");
});
