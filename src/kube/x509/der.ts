/**
 * Writes the part of DER that an X.509 certificate needs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */

/** A tag, the length and the content. */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts);
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, "utf8"));

/** A context-specific tag; `constructed` when its content consists of elements. */
export const tagged = (number: number, content: Uint8Array, constructed = true): Buffer =>
  element(0x80 | (constructed ? 0x20 : 0) | number, content);

/** A whole number of any size, big-endian and not negative. */
export function integer(bytes: Uint8Array): Buffer {
  const positive =
    (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : Buffer.from(bytes);
  return element(0x02, positive);
}

/** A bit string, of which the last `unused` bits do not count. */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.from([unused]), content);

/** The identifiers of names and extensions of certificates. */
export const COMMON_NAME = "2.5.4.3";
export const ORGANIZATION = "2.5.4.10";
export const ALTERNATIVE_NAMES = "2.5.29.17";

/** An object identifier, such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(0x06, Buffer.from(bytes));
}

/** A time, in the form of RFC 5280: two-digit years until 2049. */
export function time(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/[-:T]/g, "")
    .replace(/\.\d+Z$/, "Z");
  const late = new Date(ms).getUTCFullYear() >= 2050;
  return late
    ? element(0x18, Buffer.from(digits, "latin1"))
    : element(0x17, Buffer.from(digits.slice(2), "latin1"));
}
