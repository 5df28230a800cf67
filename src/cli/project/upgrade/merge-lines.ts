/** Merges three texts: the changes of two sides in the lines of a common base. */
import { diffArrays } from "diff";

/** A file in its three states; `undefined` where it is not there. */
export interface ThreeTexts {
  readonly base: string | undefined;
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
}

/** Lines that both sides changed, each in its own way. */
interface Conflict {
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** The result of a merge. */
export interface MergedLines {
  /** The merged lines, and conflicts in their places. */
  readonly parts: readonly (readonly string[] | Conflict)[];
  /** The line of `mine`, from 1, where each conflict begins. */
  readonly conflicts: readonly number[];
}

/** Lines `from` to `to` of the base that one side replaced. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** The names of the sides in the markers of a conflict. */
export interface SideNames {
  readonly mine: string;
  readonly base: string;
  readonly theirs: string;
}

/**
 * Merges line by line, as `git merge-file --diff3` does: changes of the two sides that touch each other are a conflict,
 * unless they are the same.
 */
export function mergeLines(base: string, mine: string, theirs: string): MergedLines {
  const lines = linesOf(base);
  const left = changesBetween(lines, linesOf(mine));
  const right = changesBetween(lines, linesOf(theirs));
  const parts: (readonly string[] | Conflict)[] = [];
  const conflicts: number[] = [];
  let at = 0;
  let line = 1; // a line of `mine`
  const keep = (to: number): void => {
    if (to > at) parts.push(lines.slice(at, to));
    line += to - at;
    at = to;
  };
  while (left.length + right.length > 0) {
    const first = Math.min(left[0]?.from ?? Infinity, right[0]?.from ?? Infinity);
    keep(first);
    const ours: Change[] = [];
    const others: Change[] = [];
    let to = first;
    for (;;) {
      const reaches = (change: Change | undefined): change is Change =>
        change !== undefined && change.from <= to;
      const side = reaches(left[0]) ? left : reaches(right[0]) ? right : undefined;
      const change = side?.shift();
      if (!change) break;
      (side === left ? ours : others).push(change);
      to = Math.max(to, change.to);
    }
    const sideOf = (changes: readonly Change[]): readonly string[] =>
      withChanges(lines, first, to, changes);
    const [one, other] = [sideOf(ours), sideOf(others)];
    if (ours.length === 0 || isSame(one, other)) parts.push(other);
    else if (others.length === 0) parts.push(one);
    else {
      parts.push({ base: lines.slice(first, to), mine: one, theirs: other });
      conflicts.push(line);
    }
    line += one.length;
    at = to;
  }
  keep(lines.length);
  return { parts, conflicts };
}

/** The text with the comments of the base in the places where it has others. */
export function withCommentsOf(base: string, text: string): string {
  const lines = linesOf(base);
  const changes = changesBetween(lines, linesOf(text)).map((change) => {
    const before = leadingComments(lines.slice(change.from, change.to));
    const after = leadingComments(change.lines);
    if (before.length === 0 || after.length === 0) return change;
    return { ...change, lines: [...before, ...change.lines.slice(after.length)] };
  });
  return withChanges(lines, 0, lines.length, changes).join("");
}

function leadingComments(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => !/^\s*(?:\/\/|\/?\*|#)/.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

/** The merged text; conflicts are between markers that git and editors know. */
export function textOfMerge({ parts }: MergedLines, names: SideNames): string {
  const closed = (lines: readonly string[]): string =>
    lines.join("").replace(/[^\n]$/, (last) => `${last}\n`);
  return parts
    .map((part) => {
      if (!("mine" in part)) return part.join("");
      return [
        `<<<<<<< ${names.mine}\n${closed(part.mine)}`,
        `||||||| ${names.base}\n${closed(part.base)}`,
        `=======\n${closed(part.theirs)}`,
        `>>>>>>> ${names.theirs}\n`,
      ].join("");
    })
    .join("");
}

/** The lines with their line ends; the last line may have none. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index]);

function changesBetween(base: readonly string[], side: readonly string[]): Change[] {
  const changes: { from: number; to: number; lines: string[] }[] = [];
  let at = 0;
  let open: (typeof changes)[number] | undefined;
  for (const { added, removed, value } of diffArrays([...base], [...side])) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (!open) changes.push((open = { from: at, to: at, lines: [] }));
    if (added) open.lines.push(...value);
    else open.to = at += value.length;
  }
  return changes;
}

function withChanges(
  base: readonly string[],
  from: number,
  to: number,
  changes: readonly Change[],
): readonly string[] {
  const lines: string[] = [];
  let at = from;
  for (const change of changes) {
    lines.push(...base.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...lines, ...base.slice(at, to)];
}
