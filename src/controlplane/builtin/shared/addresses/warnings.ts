import { isIPv4 } from "node:net";
import { quote } from "../../../../kube/field-errors.ts";
import type { Check } from "../../../../kube/check.ts";
import type { Warn } from "../checks.ts";
import { formatAddress, parseAddress } from "./addresses.ts";

/**
 * Warns about leading zeros, IPv4-mapped IPv6 addresses, and IPv6 addresses that are not in their
 * shortest form.
 */
export function warnOfAddress(address: Check<string>, warn: Warn): void {
  const { value: text } = address;
  const parsed = parseAddress(text);
  if (!parsed) return;
  const usual = quote(formatAddress(parsed));
  if (parsed.bits === 128) {
    if (quote(text) === usual) return;
    warn(address, `IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${usual})`);
  } else if (text.includes(":") || !isIPv4(text)) {
    warn(address, `non-standard IP address ${quote(text)} is invalid: use ${usual}`);
  }
}
