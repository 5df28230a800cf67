/**
 * The memory that `JSON.parse` and its readers may take for a body, from its bytes, before anything is parsed.
 *
 * The bytes of a small value can be a fifteenth of its memory (`[{},{},…`), so a limit of bytes alone has to be too small for honest requests, or too large for others. The figures are measured with V8, and `npm run verify -- strangers` holds them.
 */
import { isAscii } from "node:buffer";
import { randomInt } from "node:crypto";

/** An object without fields, an array, an element, a field. */
const OBJECT_BYTES = 96;
const ARRAY_BYTES = 80;
const ITEM_BYTES = 40;
const KEY_BYTES = 56;
/** A field that makes V8 describe another shape of objects, or keep the object as a table. */
const NEW_KEY_BYTES = 240;
/** Below this a closer look would cost more than it saves. */
const SMALL_BYTES = 256 * 1024;
/** How deep the decoders of Kubernetes read; a review wraps what they have read in four levels. */
export const MAX_DEPTH = 10_004;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What a body takes, in bytes; infinite when it nests more than `MAX_DEPTH` levels. */
export function jsonCost(bytes: Uint8Array): number {
  const tokens = tokensCost(bytes);
  const text = textCost(bytes);
  if (tokens + text <= SMALL_BYTES || tokens === Infinity) return tokens + text;
  return text + shapesCost(bytes);
}

/** The bytes, their text, and the strings in it, which take two bytes a character unless all are ASCII. */
function textCost(bytes: Uint8Array): number {
  return bytes.length * (isAscii(bytes) ? 3 : 5);
}

/** As if each field had another name. */
function tokensCost(bytes: Uint8Array): number {
  let cost = 0;
  let depth = 0;
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = endOfString(bytes, at);
    } else if (code === COMMA) {
      cost += ITEM_BYTES;
    } else if (code === COLON) {
      cost += NEW_KEY_BYTES;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      cost += code === OPEN_BRACE ? OBJECT_BYTES : ARRAY_BYTES;
      if (++depth > MAX_DEPTH) return Infinity;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    }
  }
  return cost;
}

/** The place of the quote that ends the string that begins at `at`. */
function endOfString(bytes: Uint8Array, at: number): number {
  const { length } = bytes;
  for (at++; at < length; at++) {
    const code = bytes[at];
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return at;
}

// The hashes of the sequences of fields that were seen last. They outlive a body, as V8's shapes do. Another process has another seed, so that nobody can choose fields that are taken for each other.
const KNOWN = new Int32Array(2 ** 15);
const SEED = randomInt(2 ** 31) | 1;
const PRIME = 16_777_619;
// Of each open object the hash of its fields so far.
const OPEN = new Int32Array(MAX_DEPTH + 1);

/** A field costs much only when V8 has no shape of objects that begin with these fields in this order. */
function shapesCost(bytes: Uint8Array): number {
  let cost = 0;
  let depth = 0;
  let start = 0;
  let end = 0;
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      start = at;
      end = at = endOfString(bytes, at);
    } else if (code === COMMA) {
      cost += ITEM_BYTES;
    } else if (code === COLON) {
      cost += keyCost(bytes, depth, start, end);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      cost += code === OPEN_BRACE ? OBJECT_BYTES : ARRAY_BYTES;
      OPEN[++depth] = SEED;
    } else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && depth > 0) {
      depth--;
    }
  }
  return cost;
}

function keyCost(bytes: Uint8Array, depth: number, start: number, end: number): number {
  const first = bytes[start + 1] ?? 0;
  // V8 keeps what may be an index in a table.
  if (first >= 0x30 && first <= 0x39) return NEW_KEY_BYTES;
  let hash = OPEN[depth] ?? SEED;
  for (let at = start + 1; at < end; at++) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME);
    hash ^= hash >>> 15;
  }
  // Where a field ends matters, too.
  hash = Math.imul(hash ^ QUOTE, PRIME);
  OPEN[depth] = hash;
  const place = (hash >>> 3) & (KNOWN.length - 1);
  if (KNOWN[place] === hash) return KEY_BYTES;
  KNOWN[place] = hash;
  return NEW_KEY_BYTES;
}
