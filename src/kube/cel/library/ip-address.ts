/**
 * IP addresses and prefixes, read and refused in the words of Go's `net/netip`.
 *
 * @see https://pkg.go.dev/net/netip
 */
import { quote } from "../../field-errors.ts";

/** An address: 4 or 16 bytes, and the zone of an IPv6 address. */
export interface Address {
  readonly bytes: Uint8Array;
  readonly zone: string;
}

/** An address, and the number of bits of its network. */
export interface Prefix {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** Thrown within the parser. */
class BadAddress extends Error {}

/** An address, or the error of the text. */
export function parseAddress(text: string): Address | Error {
  try {
    return readAddress(text);
  } catch (error) {
    if (error instanceof BadAddress) return error;
    throw error;
  }
}

function readAddress(text: string): Address {
  const fail = (message: string, at = ""): BadAddress =>
    new BadAddress(`ParseAddr(${quote(text)}): ${message}${at && ` (at ${quote(at)})`}`);
  const [first] = /[.:%]/.exec(text) ?? [];
  if (first === ".") {
    return { bytes: Uint8Array.from(readV4(text, fail)), zone: "" };
  }
  if (first === ":") return readV6(text, fail);
  throw fail(first === "%" ? "missing IPv6 address" : "unable to parse IP");
}

type Fail = (message: string, at?: string) => BadAddress;

function readV4(text: string, fail: Fail): number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (/\d/.test(character)) {
      if (digits === 1 && value === 0) throw fail("IPv4 field has octet with leading zero");
      value = value * 10 + Number(character);
      digits++;
      if (value > 255) throw fail("IPv4 field has value >255");
    } else if (character === ".") {
      if (index === 0 || index === text.length - 1 || text.charAt(index - 1) === ".") {
        throw fail("IPv4 field must have at least one digit", text.slice(index));
      }
      if (fields.length === 3) throw fail("IPv4 address too long");
      fields.push(value);
      value = 0;
      digits = 0;
    } else throw fail("unexpected character", text.slice(index));
  }
  if (fields.length < 3) throw fail("IPv4 address too short");
  return [...fields, value];
}

function readV6(text: string, fail: Fail): Address {
  const percent = text.indexOf("%");
  let rest = percent < 0 ? text : text.slice(0, percent);
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw fail("zone must be a non-empty string");
  const bytes: number[] = [];
  let gap = -1;
  if (rest.startsWith("::")) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === "") return { bytes: new Uint8Array(16), zone };
  }
  while (bytes.length < 16) {
    const [group = ""] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (group.length > 4) throw fail("each group must have 4 or less digits", rest);
    if (group === "") {
      throw fail("each colon-separated field must have at least one digit", rest);
    }
    if (rest.charAt(group.length) === ".") {
      if (gap < 0 && bytes.length !== 12) {
        const rule = "embedded IPv4 address must replace the final 2 fields of the address";
        throw fail(rule, rest);
      }
      if (bytes.length + 4 > 16) {
        const rule = "too many hex fields to fit an embedded IPv4 at the end of the address";
        throw fail(rule, rest);
      }
      bytes.push(...readV4(rest, fail));
      rest = "";
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) throw fail("unexpected character, want colon", rest);
    if (rest.length === 1) throw fail("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (gap >= 0) throw fail("multiple :: in address", rest);
      gap = bytes.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") throw fail("trailing garbage after address", rest);
  if (bytes.length < 16) {
    if (gap < 0) throw fail("address string too short");
    bytes.splice(gap, 0, ...new Array<number>(16 - bytes.length).fill(0));
  } else if (gap >= 0) throw fail("the :: must expand to at least one field of zeros");
  return { bytes: Uint8Array.from(bytes), zone };
}

/** A prefix, or the error of the text. */
export function parsePrefix(text: string): Prefix | Error {
  const fail = (message: string): Error =>
    new Error(`netip.ParsePrefix(${quote(text)}): ${message}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return fail("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (address instanceof Error) return fail(address.message);
  if (address.zone !== "") return fail("IPv6 zones cannot be present in a prefix");
  const bitsText = text.slice(slash + 1);
  const isNumber = /^[1-9]\d*$/.test(bitsText) || /^\d$/.test(bitsText);
  if (!isNumber || bitsText.length > 18) return fail(`bad bits after slash: ${quote(bitsText)}`);
  const bits = Number(bitsText);
  if (bits > address.bytes.length * 8) return fail("prefix length out of range");
  return { bytes: address.bytes, bits };
}

/** The canonical text of an address. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: number[] = [];
  for (let index = 0; index < 16; index += 2) {
    groups.push(((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0));
  }
  let start = -1;
  let length = 1;
  for (let index = 0; index < 8; index++) {
    let end = index;
    while (end < 8 && groups[end] === 0) end++;
    if (end - index > length) [start, length] = [index, end - index];
  }
  const hex = (part: readonly number[]): string => part.map((one) => one.toString(16)).join(":");
  if (start < 0) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}
