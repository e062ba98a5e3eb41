// web/page/texts: each language says all that English says, of the same things; who gets which language; numbers and times as each writes them.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { LANGUAGES, languageOf } from "../../web/page/texts/languages.js";
import { speak, texts } from "../../web/page/texts/texts.js";
import { timesOf } from "../../web/page/texts/times.js";
import { wordsOf } from "../../web/page/texts/words.js";

const spoken = Object.fromEntries(await Promise.all(LANGUAGES.map(async ({ tag }) => [tag, (await import(`../../web/page/texts/${tag}.js`))[tag]])));
const others = Object.keys(spoken).filter((tag) => tag !== "en");

/** Dotted name -> text, function or list. */
function leaves(part, path = []) {
  if (typeof part !== "object" || Array.isArray(part)) return [[path.join("."), part]];
  return Object.entries(part).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

/** What it says of what: a text, so many in a list, or a function of these. */
function shape(text) {
  if (typeof text === "function") return text.toString().split("=>")[0].replace(/\(|\)|\s/g, "") || "nothing";
  return Array.isArray(text) ? `${text.length} texts` : typeof text;
}

const shapes = (language) => Object.fromEntries(leaves(language).map(([name, text]) => [name, shape(text)]).sort());

for (const tag of others) {
  test(`${tag}: the same texts as in English, of the same parameters`, () => {
    assert.deepEqual(shapes(spoken[tag]), shapes(spoken.en));
  });

  test(`${tag}: no text is left in English`, () => {
    const english = Object.fromEntries(leaves(spoken.en));
    const isWords = (text) => typeof text === "string" && /[a-z]{2,} [a-z]{2,}/i.test(text);
    assert.deepEqual(leaves(spoken[tag]).filter(([name, text]) => isWords(text) && text === english[name]).map(([name]) => name), ["camera.ended", "camera.noFrame"]); // told to those who mend it
  });
}

test("there is a file for each language and a language for each file", () => {
  const files = readdirSync(new URL("../../web/page/texts/", import.meta.url)).filter((name) => /^[a-z]{2}\.js$/.test(name));
  assert.deepEqual(files.sort(), LANGUAGES.map(({ tag }) => `${tag}.js`).sort());
});

test("the first wish that is spoken here is met, else it is English", () => {
  const tagOf = (...wishes) => languageOf(wishes).tag;
  assert.deepEqual([tagOf("de"), tagOf("de-AT", "en"), tagOf(null, "DE"), tagOf("fr", "de-CH", "en"), tagOf("en-US", "de")], ["de", "de", "de", "de", "en"]);
  assert.deepEqual([tagOf(), tagOf("fr"), tagOf("", null), tagOf("constructor")], ["en", "en", "en", "en"]);
});

test("the page speaks what it was told to", async () => {
  await speak("de");
  assert.equal(texts.steps.names.train, spoken.de.steps.names.train);
});

test("numbers are written as the language writes them", () => {
  const written = (locale) => {
    const { number, plain, size, duration } = wordsOf({ locale, of: "", and: "", bytes: "B", numerals: [] });
    return [number(12_345), plain(0.01), size(18_640_000), duration(1500)];
  };
  assert.deepEqual(written("en-GB"), ["12,345", "0.01", "18.6\u00a0MB", "1.5\u00a0s"]);
  assert.deepEqual(written("de"), ["12.345", "0,01", "18,6\u00a0MB", "1,5\u00a0s"]);
});

test("the time of day is the language's", () => {
  const { clock, exactly } = timesOf({ locale: "de", now: "", minutes: String, today: String, yesterday: String, on: String });
  const afternoon = new Date(2026, 2, 1, 15, 4, 5);
  assert.deepEqual([clock(afternoon.getTime()), exactly(afternoon)], ["15:04", "15:04:05"]);
});
