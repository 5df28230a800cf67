/**
 * What the writer of addresses is told although they are let through: that they are usually written otherwise.
 *
 * @module
 */
import { isIPv4 } from "node:net";
import { quote } from "../../../kube/field-errors.ts";
import { formatAddress, parseAddress, parseRange } from "./validation/addresses.ts";

/** Leading zeros, IPv4 in the clothes of IPv6, and IPv6 that is not in its shortest form. */
export function addressWarnings(field: string, text: string): string[] {
  const address = parseAddress(text);
  if (!address) return [];
  const usual = formatAddress(address);
  if (address.bits === 32) {
    return text.includes(":") || !isIPv4(text)
      ? [`${field}: non-standard IP address ${quote(text)} is invalid: use ${quote(usual)}`]
      : [];
  }
  return usual === text
    ? []
    : [
        `${field}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${quote(usual)})`,
      ];
}

/** The same of ranges, and bits beyond the prefix. */
export function rangeWarnings(field: string, text: string): string[] {
  const range = parseRange(text);
  if (!range) return [];
  const { value, bits, length } = range;
  const rest = BigInt(bits - length);
  const start = { value: (value >> rest) << rest, bits };
  const usual = `${formatAddress(start)}/${length}`;
  const [head = "", tail = ""] = text.split("/");
  const isStandard = bits === 128 || isIPv4(head);
  if (!isStandard || /^0\d/.test(tail)) {
    return [`${field}: non-standard CIDR value ${quote(text)} is invalid: use ${quote(usual)}`];
  }
  if (start.value !== value) {
    const whole = `${formatAddress(range)}/${bits}`;
    return [
      `${field}: CIDR value ${quote(text)} is ambiguous in this context (should be ${quote(usual)} or ${quote(whole)}?)`,
    ];
  }
  return bits === 128 && usual !== text
    ? [
        `${field}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${quote(usual)})`,
      ]
    : [];
}
