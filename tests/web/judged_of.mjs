// Reads judged pictures as JSON from standard input and writes what web/page/judged makes of them.

import { readFileSync } from "node:fs";

import { confusion, perClass } from "../../web/page/judged/counts.js";
import { wilson } from "../../web/page/judged/interval.js";
import { disagreements, rightCount, verdictsOf } from "../../web/page/judged/verdicts.js";

const { labels, pictures, probabilities } = JSON.parse(readFileSync(0, "utf8"));
const verdicts = verdictsOf({ labels, pictures, probabilities: Float32Array.from(probabilities) });
const counts = confusion(verdicts, labels.length);
const right = rightCount(verdicts);
const answer = { counts, perClass: perClass(counts), right, interval: wilson(right, pictures.length), losses: verdicts.map(({ loss }) => loss), wrong: disagreements(verdicts).map(({ index }) => index) };
process.stdout.write(JSON.stringify(answer));
