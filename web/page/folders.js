/** Which folder of a drop is a picture's class. */

/**
 * For each path (the folders above a file, outermost first; [] for a loose file) the name of its class, or null.
 * It is the innermost folder: photos/cat/1.jpg and train/cat/1.jpg are cats. Where pictures lie at different depths, the innermost one may be
 * a part of a class; then it is the first folder below those that all have in common: garden/rose/red/1.jpg beside garden/tulip/1.jpg is a rose.
 * @param {string[][]} paths
 * @returns {(string | null)[]}
 */
export function classFolders(paths) {
  const nested = paths.filter((path) => path.length > 0);
  const common = commonDepth(nested);
  const even = nested.every((path) => path.length === nested[0].length);
  return paths.map((path) => (even ? path.at(-1) : path[Math.min(common, path.length - 1)]) ?? null);
}

/** How many outer folders all paths share. */
function commonDepth([first = [], ...others]) {
  const differs = first.findIndex((name, depth) => others.some((path) => path[depth] !== name));
  return differs < 0 ? first.length : differs;
}
