/**
 * A unified diff of two values, as Kubernetes appends it to messages about fields that may not
 * change.
 *
 * Lines are matched as Python's difflib does it: the longest common block first, then the lines
 * before and after it; a line that makes up more than a hundredth of a long text does not begin a
 * match.
 *
 * @see https://docs.python.org/3/library/difflib.html
 */
const CONTEXT_LINES = 3;
/** The number of lines from which on very frequent lines do not begin a match. */
const POPULAR_FROM_LINES = 200;

interface Change {
  readonly tag: "equal" | "replace" | "delete" | "insert";
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** The differences between two values, both printed as indented JSON; empty when they are equal. */
export function unifiedDiff(before: unknown, after: unknown): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let text = "";
  for (const group of groupsOf(changesOf(old, now))) {
    const first = group[0];
    const last = group.at(-1);
    if (!first || !last) continue;
    text += `@@ -${rangeOf(first.from, last.to)} +${rangeOf(first.newFrom, last.newTo)} @@\n`;
    for (const change of group) text += linesOfChange(change, old, now);
  }
  return text;
}

/** The lines of a value, each with its line break. */
const linesOf = (value: unknown): string[] =>
  JSON.stringify(value, null, 1)
    // Go escapes JSON for use in HTML.
    .replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
    .split("\n")
    .map((line) => `${line}\n`);

function linesOfChange(change: Change, old: readonly string[], now: readonly string[]): string {
  const { tag, from, to, newFrom, newTo } = change;
  const marked = (mark: string, lines: readonly string[]): string =>
    lines.map((line) => mark + line).join("");
  if (tag === "equal") return marked(" ", old.slice(from, to));
  return marked("-", old.slice(from, to)) + marked("+", now.slice(newFrom, newTo));
}

function rangeOf(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}

/** Groups of changes that are near each other, with a few equal lines around them. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const [index, change] of changes.entries()) {
    const { tag, from, to, newFrom, newTo } = change;
    const context = Math.min(to - from, CONTEXT_LINES);
    // The equal lines that end the group before, and those that begin the next one.
    const end = index === 0 ? 0 : context;
    const begin = index === changes.length - 1 ? 0 : context;
    if (tag === "equal" && end + begin < to - from) {
      group.push({ ...change, to: from + end, newTo: newFrom + end });
      groups.push(group);
      group = [{ ...change, from: to - begin, newFrom: newTo - begin }];
    } else group.push(change);
  }
  groups.push(group);
  return groups.filter((some) => some.some(({ tag }) => tag !== "equal"));
}

interface Block {
  readonly from: number;
  readonly newFrom: number;
  readonly length: number;
}

function changesOf(old: readonly string[], now: readonly string[]): Change[] {
  const changes: Change[] = [];
  let at = 0;
  let newAt = 0;
  for (const { from, newFrom, length } of blocksOf(old, now)) {
    const span = { from: at, to: from, newFrom: newAt, newTo: newFrom };
    if (at < from && newAt < newFrom) changes.push({ tag: "replace", ...span });
    else if (at < from) changes.push({ tag: "delete", ...span });
    else if (newAt < newFrom) changes.push({ tag: "insert", ...span });
    at = from + length;
    newAt = newFrom + length;
    if (length > 0) changes.push({ tag: "equal", from, to: at, newFrom, newTo: newAt });
  }
  return changes;
}

/** The matching blocks in order, with neighbours joined and an empty one at the end. */
function blocksOf(old: readonly string[], now: readonly string[]): Block[] {
  const places = placesOf(now);
  const found: Block[] = [];
  const pending: (readonly [number, number, number, number])[] = [[0, old.length, 0, now.length]];
  for (let range = pending.pop(); range; range = pending.pop()) {
    const [from, to, newFrom, newTo] = range;
    const block = longestBlock(old, now, places, range);
    if (block.length === 0) continue;
    found.push(block);
    const end = block.from + block.length;
    const newEnd = block.newFrom + block.length;
    if (from < block.from && newFrom < block.newFrom) {
      pending.push([from, block.from, newFrom, block.newFrom]);
    }
    if (end < to && newEnd < newTo) pending.push([end, to, newEnd, newTo]);
  }
  found.sort((left, right) => left.from - right.from);
  const joined: Block[] = [];
  for (const block of found) {
    const last = joined.at(-1);
    if (
      last &&
      last.from + last.length === block.from &&
      last.newFrom + last.length === block.newFrom
    ) {
      joined[joined.length - 1] = { ...last, length: last.length + block.length };
    } else joined.push(block);
  }
  return [...joined, { from: old.length, newFrom: now.length, length: 0 }];
}

/** The indexes of each line, without lines that are very frequent. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  }
  if (lines.length < POPULAR_FROM_LINES) return places;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, indexes] of places) if (indexes.length > most) places.delete(line);
  return places;
}

function longestBlock(
  old: readonly string[],
  now: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [from, to, newFrom, newTo]: readonly [number, number, number, number],
): Block {
  let best: Block = { from, newFrom, length: 0 };
  let lengths = new Map<number, number>();
  for (let index = from; index < to; index++) {
    const next = new Map<number, number>();
    for (const place of places.get(old[index] ?? "") ?? []) {
      if (place < newFrom) continue;
      if (place >= newTo) break;
      const length = (lengths.get(place - 1) ?? 0) + 1;
      next.set(place, length);
      if (length > best.length) {
        best = { from: index - length + 1, newFrom: place - length + 1, length };
      }
    }
    lengths = next;
  }
  let { from: start, newFrom: newStart, length } = best;
  while (start > from && newStart > newFrom && old[start - 1] === now[newStart - 1]) {
    start--;
    newStart--;
    length++;
  }
  while (
    start + length < to &&
    newStart + length < newTo &&
    old[start + length] === now[newStart + length]
  ) {
    length++;
  }
  return { from: start, newFrom: newStart, length };
}
