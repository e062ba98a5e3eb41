/** Which pictures an exported file is asked about. */

/** Half a minute's worth at most, of photos of 12 megapixels; of more than these a class has each its share, and one at least. */
export const MOST = 60;

/**
 * At most `most` pictures, or one of each class where these are more: in turn from each class, and in each from its first to its last, evenly apart.
 *
 * @template Picture @param {Picture[][]} classes @param {number} [most] @returns {Picture[]}
 */
export function sampleOf(classes, most = MOST) {
  const filled = classes.filter((pictures) => pictures.length > 0);
  const shares = filled.map(() => 0);
  let room = Math.max(most, filled.length);
  for (let before = -1; room > 0 && before !== room;) {
    before = room;
    for (const [place, pictures] of filled.entries()) {
      if (room === 0 || shares[place] === pictures.length) continue;
      shares[place] += 1;
      room -= 1;
    }
  }
  return filled.flatMap((pictures, place) => evenly(pictures, shares[place]));
}

function evenly(pictures, count) {
  return Array.from({ length: count }, (_, place) => pictures[Math.floor((place * pictures.length) / count)]);
}
