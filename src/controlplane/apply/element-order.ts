/**
 * The order of a list merged by a strategic merge patch: that of the patch, with the items that
 * only the server has in between, as near to their old place as possible.
 */

type KeyOf = (item: unknown) => unknown;

/** The items whose key is among `selected`, and the others. */
export function partition(
  items: readonly unknown[],
  selected: readonly unknown[],
  keyOf: KeyOf,
): [unknown[], unknown[]] {
  const keys = new Set(selected.map(keyOf));
  const isSelected = (item: unknown): boolean => keys.has(keyOf(item));
  return [items.filter(isSelected), items.filter((item) => !isSelected(item))];
}

/** The index of each key in a list; the first one of a duplicate. */
function placesIn(order: readonly unknown[], keyOf: KeyOf): ReadonlyMap<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [place, item] of order.entries()) {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, place);
  }
  return places;
}

/**
 * Sorts items by an order that may lack some of them. A missing item counts as less than any other,
 * so the result depends on the algorithm: these are the steps of Go's stable sort of short lists.
 */
function sortBy(items: readonly unknown[], order: readonly unknown[], keyOf: KeyOf): unknown[] {
  const places = placesIn(order, keyOf);
  const isLess = (left: unknown, right: unknown): boolean => {
    const place = places.get(keyOf(left));
    const other = places.get(keyOf(right));
    return place === undefined || other === undefined || place < other;
  };
  const sorted = [...items];
  for (let end = 1; end < sorted.length; end++) {
    for (let at = end; at > 0 && isLess(sorted[at], sorted[at - 1]); at--) {
      [sorted[at], sorted[at - 1]] = [sorted[at - 1], sorted[at]];
    }
  }
  return sorted;
}

/**
 * Merges both groups of items into one list.
 *
 * @param patched - items of the patch, to be in the order of `patchOrder`
 * @param others - items that only the server has, to be in the order of `serverOrder`
 */
export function orderElements(
  patched: readonly unknown[],
  others: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  keyOf: KeyOf,
): unknown[] {
  const right = sortBy(patched, patchOrder, keyOf);
  const left = sortBy(others, serverOrder, keyOf);
  const places = placesIn(serverOrder, keyOf);
  const merged: unknown[] = [];
  let at = 0;
  for (const item of right) {
    const place = places.get(keyOf(item));
    for (; at < left.length; at++) {
      const other = places.get(keyOf(left[at]));
      if (place === undefined || other === undefined || other >= place) break;
      merged.push(left[at]);
    }
    merged.push(item);
  }
  return [...merged, ...left.slice(at)];
}
