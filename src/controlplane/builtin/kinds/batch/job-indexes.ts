/** Sets of indexes of an indexed Job, such as `1,3-5`. */

/**
 * Parses a set of indexes below `completions`.
 *
 * @throws RangeError with the API server's message
 */
export function parseIndexes(text: string, completions: number): number[] {
  if (text === "") return [];
  const indexes: number[] = [];
  let last: number | undefined;
  for (const interval of text.split(",")) {
    const limits = interval.split("-");
    if (limits.length > 2) {
      throw new RangeError(
        `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      );
    }
    const [first = 0, end = first] = limits.map((limit) => indexOf(limit, completions));
    if (limits.length === 2 && first >= end) {
      throw new RangeError(`non-increasing order, previous: ${first}, current: ${end}`);
    }
    if (last !== undefined && last >= first) {
      throw new RangeError(`non-increasing order, previous: ${last}, current: ${first}`);
    }
    for (let index = first; index <= end; index++) indexes.push(index);
    last = end;
  }
  return indexes;
}

function indexOf(text: string, completions: number): number {
  if (!/^\d+$/.test(text)) {
    throw new RangeError(`cannot convert string to integer for index: ${JSON.stringify(text)}`);
  }
  if (Number(text) >= completions) throw new RangeError(`too large index: ${JSON.stringify(text)}`);
  return Number(text);
}

/** Formats the set in its shortest form; two neighbours are listed, three become a range. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((left, right) => left - right);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    const [first, last] = [sorted[at], sorted[end]];
    if (end === at) parts.push(`${first}`);
    else parts.push(end === at + 1 ? `${first},${last}` : `${first}-${last}`);
    at = end + 1;
  }
  return parts.join(",");
}
