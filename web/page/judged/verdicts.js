/** What was said of each picture that a model judged without having seen it. */

/**
 * @typedef {{ labels: string[], pictures: { key: string, label: string }[], probabilities: Float32Array }} Judged
 *   probabilities: pictures x labels, row by row
 * @typedef {{ index: number, truth: number, said: number, rival: number, sure: number, own: number, chance: number, loss: number }} Verdict
 *   index: of the picture; truth, said, rival: places in `labels`; sure: of what it said; own: the share of the picture's own class; chance: the rival's
 */

/**
 * said = argmax(row), the first of equals; sure = row[said]; own = row[truth]; loss = -ln(own), in nats.
 * rival = argmax of the row without the picture's own class: what it said where that is wrong, else what it would have said next.
 *
 * @param {Judged} judged @returns {Verdict[]} in the order of the pictures
 */
export function verdictsOf({ labels, pictures, probabilities }) {
  const places = new Map(labels.map((label, place) => [label, place]));
  return pictures.map(({ label }, index) => {
    const row = rowOf(probabilities, index, labels.length);
    const truth = places.get(label);
    const said = row.indexOf(Math.max(...row));
    const rival = row.reduce((best, share, place) => (place !== truth && (best < 0 || share > row[best]) ? place : best), -1);
    return { index, truth, said, rival, sure: row[said], own: row[truth], chance: row[rival], loss: -Math.log(row[truth]) };
  });
}

export function rowOf(probabilities, index, width) {
  return probabilities.subarray(index * width, (index + 1) * width);
}

export function isRight({ truth, said }) {
  return truth === said;
}

export function rightCount(verdicts) {
  return verdicts.filter(isRight).length;
}

/** Where it disagrees with the person, the greatest loss first: those may be mislabelled. */
export function disagreements(verdicts) {
  return verdicts.filter((verdict) => !isRight(verdict)).sort((a, b) => b.loss - a.loss);
}

/** Right answers, the least sure first. */
export function unsure(verdicts) {
  return verdicts.filter(isRight).sort((a, b) => a.own - b.own);
}
