/** IP addresses and ranges, parsed as the API server does. */
import { isIPv4, isIPv6 } from "node:net";

/** An address as a number of 32 or 128 bits. */
interface Address {
  readonly value: bigint;
  readonly bits: 32 | 128;
}

/** An address and the length of its prefix, in bits. */
export interface Range extends Address {
  readonly length: number;
}

/**
 * Parses an address; `undefined` when the text is not one. Leading zeros are accepted, as by Go's
 * sloppy parser.
 */
export function parseAddress(text: string): Address | undefined {
  if (/^\d+(\.\d+){3}$/.test(text)) {
    const parts = text.split(".").map(Number);
    if (parts.some((part) => part > 255)) return undefined;
    return { value: BigInt(parts.reduce((sum, part) => sum * 256 + part, 0)), bits: 32 };
  }
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted?.[2] === undefined ? undefined : parseAddress(dotted[2]);
  const plain = tail
    ? `${dotted?.[1] ?? ""}${(tail.value >> 16n).toString(16)}:${(tail.value & 0xffffn).toString(16)}`
    : text;
  const [head = "", rest] = plain.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = groups(rest ?? "");
  const gap = rest === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: gap }, () => "0"), ...after];
  const value = all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  // Go treats an IPv4-mapped IPv6 address as an IPv4 address.
  if (value >> 32n === 0xffffn) return { value: value & 0xffffffffn, bits: 32 };
  return { value, bits: 128 };
}

/** Formats an address in its canonical form, the shortest one. */
export function formatAddress({ value, bits }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  );
  // The first of the longest runs of zeros, of at least two, is left out.
  const [longest = ""] = (groups.join(":").match(/\b0(:0)+\b/g) ?? []).sort(
    (left, right) => right.length - left.length,
  );
  if (longest === "") return groups.join(":");
  const whole = groups.join(":");
  const start = whole.search(new RegExp(`\\b${longest}\\b`));
  const head = whole.slice(0, start).replace(/:$/, "");
  const tail = whole.slice(start + longest.length).replace(/^:/, "");
  return `${head}::${tail}`;
}

/** Parses a range; `undefined` when the text is not one. */
export function parseRange(text: string): Range | undefined {
  const [head = "", length = "", ...rest] = text.split("/");
  const address = parseAddress(head);
  if (!address || rest.length > 0 || !/^\d+$/.test(length)) return undefined;
  const bits = Number(length);
  return bits <= address.bits ? { ...address, length: bits } : undefined;
}

export const masked = ({ value, bits }: Address, length: number): bigint =>
  (value >> BigInt(bits - length)) << BigInt(bits - length);

/** Validates an address: no leading zeros, and not an IPv4-mapped IPv6 address. */
export function addressErrors(text: string): string[] {
  const address = parseAddress(text);
  if (!address) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  const errors: string[] = [];
  if (text.includes(":") ? !isIPv6(text) : !isIPv4(text)) errors.push("must not have leading 0s");
  if (address.bits === 32 && text.includes(":")) {
    errors.push("must not be an IPv4-mapped IPv6 address");
  }
  return errors;
}

/** Validates a range of addresses whose bits beyond the prefix are zero. */
export function rangeErrors(text: string): string[] {
  const range = parseRange(text);
  if (!range) return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  const [head = "", length = ""] = text.split("/");
  if ((!head.includes(":") && !isIPv4(head)) || /^0\d/.test(length)) {
    return ["must not have leading 0s in IP or prefix length"];
  }
  if (range.bits === 32 && head.includes(":")) return ["must not have an IPv4-mapped IPv6 address"];
  return masked(range, range.length) === range.value
    ? []
    : ["must not have bits set beyond the prefix length"];
}

/** Whether there is at most one of each family. */
export function isOneOfEach(texts: readonly string[]): boolean {
  const families = texts.map((text) => (text.includes(":") ? 6 : 4));
  return texts.length <= 2 && new Set(families).size === texts.length;
}

/** Validates an address for an endpoint: not one that only means the host itself or its link. */
export function endpointAddressErrors(text: string): string[] {
  const address = parseAddress(text);
  if (!address) return ["must be a valid IP address"];
  const { value, bits } = address;
  const errors: string[] = [];
  const isV4 = bits === 32;
  if (value === 0n) errors.push(`may not be unspecified (${text})`);
  if (isV4 ? value >> 24n === 127n : value === 1n) {
    errors.push("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (isV4 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan) {
    errors.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (isV4 ? value >> 8n === 0xe00000n : value >> 112n === 0xff02n) {
    errors.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return errors;
}
