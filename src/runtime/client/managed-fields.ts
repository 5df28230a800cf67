/**
 * Takes managedFields out of a watch's events, and of a list's items, before they are parsed.
 *
 * They are a third to a half of most objects, no cache keeps them, and to parse them takes several times as long as to
 * find their end. What is not laid out as API servers do it (a line an event, no white space in it) stays as it is.
 *
 * @module
 */

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
// What makes a brace of a bracket.
const BRACE_BIT = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const METADATA = Buffer.from(`"metadata":`);
const MANAGED_FIELDS = Buffer.from(`"managedFields":[`);

/** Where the objects are in an answer. */
interface Layout {
  /** The field of the answer, or of the event. */
  readonly field: Buffer;
  /** How many brackets are open inside of an object's metadata. */
  readonly metadataDepth: number;
  /** Whether nothing but the rest of the object comes behind its metadata in the line. */
  readonly aLineEach: boolean;
}

/** A watch: an event a line, with its object. */
export const EVENT_LINES: Layout = {
  field: Buffer.from(`"object":`),
  metadataDepth: 3,
  aLineEach: true,
};

/** A list with its items. */
export const LIST_ITEMS: Layout = {
  field: Buffer.from(`"items":`),
  metadataDepth: 4,
  aLineEach: false,
};

/**
 * `bytes` without the managedFields of the objects in it. `bytes` is changed in place; the answer is a part of it. Broken
 * JSON stays broken.
 */
export function cutManagedFields(bytes: Buffer, layout: Layout): Buffer {
  const { field, metadataDepth, aLineEach } = layout;
  const { length } = bytes;
  let depth = 0;
  let inObject = false;
  let inMetadata = false;
  // What is kept of the text up to `copied` stands at the beginning, up to `kept`.
  let kept = 0;
  let copied = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      if (!inMetadata || depth !== metadataDepth || !startsWith(bytes, at, MANAGED_FIELDS)) {
        at = endOfString(bytes, at);
        continue;
      }
      const end = endOfArray(bytes, at + MANAGED_FIELDS.length);
      // One of the commas around it goes, too.
      const start = bytes[at - 1] === COMMA ? at - 1 : at;
      at = start === at && bytes[end] === COMMA ? end + 1 : end;
      bytes.copyWithin(kept, copied, start);
      kept += start - copied;
      copied = at;
      continue;
    }
    at++;
    const bracket = byte | BRACE_BIT;
    if (bracket === OPEN_BRACE) {
      depth++;
      if (depth === 2) inObject = isValueOf(bytes, at - 1, field);
      else if (depth === metadataDepth) inMetadata = inObject && isValueOf(bytes, at - 1, METADATA);
    } else if (bracket === CLOSE_BRACE) {
      depth--;
      if (!inMetadata || depth >= metadataDepth) continue;
      inMetadata = false;
      if (!aLineEach) continue;
      // The rest of the event need not be looked at.
      const newline = bytes.indexOf(NEWLINE, at);
      at = newline < 0 ? length : newline;
    } else if (byte === NEWLINE && aLineEach) {
      depth = 0;
      inMetadata = false;
    }
  }
  bytes.copyWithin(kept, copied);
  return bytes.subarray(0, kept + length - copied);
}

/** Behind the string that begins at `start`, or behind the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  const { length } = bytes;
  for (let at = start + 1; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return length;
}

/** Behind the array whose first element is at `start`, or behind the bytes. */
function endOfArray(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let depth = 1;
  for (let at = start; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACKET && --depth === 0) return at + 1;
  }
  return length;
}

/** Whether what begins at `at` is the value of that key, which is written with its quotes and colon. */
function isValueOf(bytes: Buffer, at: number, key: Buffer): boolean {
  const start = at - key.length;
  const before = bytes[start - 1];
  return (before === OPEN_BRACE || before === COMMA) && startsWith(bytes, start, key);
}

function startsWith(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}
