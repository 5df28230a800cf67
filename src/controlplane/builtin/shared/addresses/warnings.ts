/** Warnings about IP addresses and ranges. */
import { isIPv4 } from "node:net";
import { quote } from "../../../../kube/field-errors.ts";
import { formatAddress, parseAddress } from "./addresses.ts";

/**
 * Warns about leading zeros, IPv4-mapped IPv6 addresses, and IPv6 addresses that are not in their
 * shortest form.
 */
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
