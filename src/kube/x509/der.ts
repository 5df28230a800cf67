/**
 * Writes and reads the part of DER that X.509 needs.
 *
 * @see https://www.itu.int/rec/T-REC-X.690
 */

/** The tags of elements. */
export const SEQUENCE = 0x30;
export const SET = 0x31;
export const OID = 0x06;

/** A tag, the length and the content. */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(size: number): number[] {
  if (size < 0x80) return [size];
  const digits: number[] = [];
  for (let left = size; left > 0; left >>>= 8) digits.unshift(left & 0xff);
  return [0x80 | digits.length, ...digits];
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(SEQUENCE, ...parts);
/** A set of one element: with more, DER would sort them. */
export const setOf = (part: Uint8Array): Buffer => element(SET, part);
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, "utf8"));

/** A context-specific tag; `constructed` when its content consists of elements. */
export const tagged = (number: number, content: Uint8Array, constructed = true): Buffer =>
  element(0x80 | (constructed ? 0x20 : 0) | number, content);

/** A whole number of any size, big-endian and not negative. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(first);
  if (first === -1) return element(0x02, Buffer.from([0]));
  return element(0x02, Buffer.from((digits[0] ?? 0) >= 0x80 ? [0] : []), digits);
}

/** A bit string, of which the last `unused` bits do not count. */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.from([unused]), content);

/** A bit string with these bits set; 0 is the highest bit of the first byte. */
export function namedBits(set: readonly number[]): Buffer {
  const last = Math.max(...set);
  const bytes = Buffer.alloc((last >> 3) + 1);
  for (const bit of set) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bits(bytes, 7 - (last & 7));
}

/** An object identifier, such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(OID, Buffer.from(bytes));
}

/** A time, in the form of RFC 5280: two-digit years from 1950 until 2049. */
export function time(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/[-:T]/g, "")
    .replace(/\.\d+Z$/, "Z");
  const year = new Date(ms).getUTCFullYear();
  return year >= 1950 && year < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "latin1"))
    : element(0x18, Buffer.from(digits, "latin1"));
}

/** A tag, its content, and the bytes of the whole element. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The longest length field, in bytes: four gigabytes are more than any certificate has. */
const LENGTH_BYTES_MAX = 4;

/** The elements that follow each other in `bytes`. @throws Error when they end early */
export function readElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const next = elementAt(bytes, at);
    elements.push(next);
    at += next.whole.length;
  }
  return elements;
}

/** The one element in `bytes`. @throws Error when there is none, or more than one */
export function readElement(bytes: Buffer): DerElement {
  const only = elementAt(bytes, 0);
  if (only.whole.length < bytes.length) throw new Error("asn1: syntax error: trailing data");
  return only;
}

function elementAt(bytes: Buffer, at: number): DerElement {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined)
    throw new Error("asn1: syntax error: data truncated");
  let begin = at + 2;
  let size = first;
  if (first >= 0x80) {
    const digits = first & 0x7f;
    if (digits === 0 || digits > LENGTH_BYTES_MAX || begin + digits > bytes.length) {
      throw new Error("asn1: structural error: invalid length");
    }
    size = bytes.readUIntBE(begin, digits);
    if (size < 0x80 || bytes[begin] === 0)
      throw new Error("asn1: structural error: non-minimal length");
    begin += digits;
  }
  const end = begin + size;
  if (end > bytes.length) throw new Error("asn1: syntax error: data truncated");
  return { tag, content: bytes.subarray(begin, end), whole: bytes.subarray(at, end) };
}
