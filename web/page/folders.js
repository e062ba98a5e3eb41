/** Which folder of a drop is a picture's class. */

/**
 * For each path (the folders above a file, outermost first; [] for a loose file) the name of its class, or null.
 * It is the innermost folder: photos/cat/1.jpg and train/cat/1.jpg are cats. Where pictures lie at different depths, the innermost one may be
 * a part of a class; then it is the first folder below those that all have in common: garden/rose/red/1.jpg beside garden/tulip/1.jpg is a rose.
 * Of several folders of different depths, each is asked for itself: one with pictures of its own is a class, with all that lies in it.
 * @param {string[][]} paths
 * @returns {(string | null)[]}
 */
export function classFolders(paths) {
  /** @type {Map<string, string[][]>} */
  const roots = new Map(paths.filter(({ length }) => length > 0).map((path) => [path[0], []]));
  for (const path of paths) roots.get(path[0])?.push(path);
  const beside = roots.size > 1 && !areEven([...roots.values()].flat());
  const rules = new Map([...roots].map(([root, own]) => [root, ruleFor(own, beside)]));
  return paths.map((path) => rules.get(path[0])?.(path) ?? null);
}

/** How a path below one dropped folder gets its class. `beside`: other folders, of other depths, came with it. */
function ruleFor(paths, beside) {
  const common = commonDepth(paths);
  if (beside && paths.some(({ length }) => length === common)) return (path) => path[0];
  if (areEven(paths)) return (path) => path.at(-1);
  return (path) => path[Math.min(common, path.length - 1)];
}

function areEven(paths) {
  return paths.every(({ length }) => length === paths[0].length);
}

/** How many outer folders all paths share. */
function commonDepth([first = [], ...others]) {
  const differs = first.findIndex((name, depth) => others.some((path) => path[depth] !== name));
  return differs < 0 ? first.length : differs;
}
