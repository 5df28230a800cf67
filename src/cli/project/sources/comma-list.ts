/**
 * Lists in braces in the source text of a user: elements are added in the list's own layout, and
 * taken out so that the text is as it was before.
 */

/** A part of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A list in a text: from brace to brace, with its elements. */
export interface CommaList extends Span {
  readonly text: string;
  readonly elements: readonly Span[];
}

/** A part of a text, and what is to stand there instead. */
export interface Splice extends Span {
  readonly with: string;
}

/** Adds elements at the end of the list; each is given by its lines. */
export function addedTo(list: CommaList, elements: readonly (readonly string[])[]): Splice[] {
  if (elements.length === 0) return [];
  const { text } = list;
  const last = list.elements.at(-1);
  if (!last) return [inserted(list.start + 1, ` ${elements.map(inOne).join(", ")} `)];
  const comma = commaAfter(list, last);
  if (!isFirstOfLine(text, last.start)) {
    if (comma === undefined) {
      return [inserted(last.end, elements.map((lines) => `, ${inOne(lines)}`).join(""))];
    }
    return [inserted(comma, elements.map((lines) => ` ${inOne(lines)},`).join(""))];
  }
  const indent = text.slice(lineStart(text, last.start), last.start);
  const added = elements.map((lines) => lines.map((line) => `\n${indent}${line}`).join(""));
  const end = restIsComment(text, comma ?? last.end)
    ? lineEnd(text, last.end)
    : (comma ?? last.end);
  if (comma !== undefined) return [inserted(end, added.map((one) => `${one},`).join(""))];
  return [inserted(last.end, ","), inserted(end, added.join(","))];
}

/** The edits that take an element out; the opposite of `addedTo`. */
export function removedFrom(list: CommaList, index: number): Splice[] {
  const { text, elements } = list;
  const [element, previous, next] = [elements[index], elements[index - 1], elements[index + 1]];
  if (!element) return [];
  const comma = commaAfter(list, element);
  const end = comma ?? element.end;
  if (isFirstOfLine(text, element.start) && restIsComment(text, end)) {
    const lines = removed(lineStart(text, element.start) - 1, lineEnd(text, end));
    const before = previous && comma === undefined ? commaAfter(list, previous) : undefined;
    return before === undefined ? [lines] : [removed(before - 1, before), lines];
  }
  if (next) return [removed(element.start, next.start)];
  if (previous) return [removed(previous.end, element.end)];
  return [removed(list.start + 1, list.end - 1)];
}

/** The text with all splices done. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const fromTheEnd = splices
    .map((splice, index) => ({ ...splice, index }))
    .sort((one, other) => other.start - one.start || other.index - one.index);
  let now = text;
  for (const { start, end, with: put } of fromTheEnd) {
    now = now.slice(0, start) + put + now.slice(end);
  }
  return now;
}

/** A splice that only adds. */
export const inserted = (at: number, put: string): Splice => ({ start: at, end: at, with: put });

/** A splice that only takes away. */
export const removed = (start: number, end: number): Splice => ({ start, end, with: "" });

/** The start of the line of an offset. */
export const lineStart = (text: string, offset: number): number =>
  text.lastIndexOf("\n", offset - 1) + 1;

/** The end of the line of an offset, before its line end. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end === -1) return text.length;
  return end;
}

/** Whether only blanks stand before the offset in its line. */
export const isFirstOfLine = (text: string, offset: number): boolean =>
  text.slice(lineStart(text, offset), offset).trim() === "";

/** Whether nothing or a comment follows in the line. */
export const restIsComment = (text: string, offset: number): boolean =>
  /^\s*(?:\/\/.*)?$/.test(text.slice(offset, lineEnd(text, offset)));

const inOne = (lines: readonly string[]): string => lines.map((line) => line.trim()).join(" ");

/** The end of the comma after an element; `undefined` where there is none. */
function commaAfter({ text, elements, end }: CommaList, element: Span): number | undefined {
  const next = elements.find(({ start }) => start >= element.end)?.start ?? end - 1;
  const between = text
    .slice(element.end, next)
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, (comment) => " ".repeat(comment.length));
  const at = between.indexOf(",");
  return at === -1 ? undefined : element.end + at + 1;
}
