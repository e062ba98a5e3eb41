/**
 * Begins up to `width` items before the first of them has ended, and ends them one after another, in their order.
 * True if `stopped` said so before the last: what was begun by then is forgotten.
 *
 * @template Item, Begun
 * @param {Item[]} items
 * @param {{width: number, begin: (item: Item) => Promise<Begun>, end: (item: Item, begun: Promise<Begun>, index: number) => Promise<void>,
 *   stopped?: () => boolean}} work
 * @returns {Promise<boolean>}
 */
export async function inOrder(items, { width, begin, end, stopped = () => false }) {
  const begun = /** @type {Promise<Begun>[]} */ ([]);
  for (let index = 0; index < items.length; index += 1) {
    if (stopped()) return true;
    while (begun.length < Math.min(items.length, index + width)) {
      const one = begin(items[begun.length]);
      one.catch(() => {}); // told when its turn comes
      begun.push(one);
    }
    const present = begun[index];
    delete begun[index]; // let go of what it holds
    await end(items[index], present, index);
  }
  return false;
}
