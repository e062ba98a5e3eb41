const MOST = 1000;
const LONGEST = 100;

/**
 * Whether these are class names that Python takes just as they are (album.py), so that they can be used before it is there.
 * False for those that Python has to look at: it may refuse them, or take space away.
 *
 * @param {string[]} labels
 */
export function arePlainLabels(labels) {
  return labels.length <= MOST && new Set(labels).size === labels.length && labels.every(isPlain);
}

function isPlain(label) {
  return /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(label) && [...label].length <= LONGEST;
}
