/** Warnings about Services. */
import { isIPv4 } from "node:net";
import { quote } from "../../../../../kube/field-errors.ts";
import { formatAddress, parseRange } from "../../../shared/addresses/addresses.ts";
import { addressWarnings } from "../../../shared/addresses/warnings.ts";
import { isHeadless } from "./addresses.ts";
import type { Service } from "./shape.ts";

/** Warnings about a range: those about its address, and bits beyond the prefix. */
function rangeWarnings(field: string, text: string): string[] {
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

const HINTS = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";

/** Warnings about a Service. */
export function serviceWarnings(object: Service): string[] {
  const { spec, metadata } = object;
  const { externalIPs = [], loadBalancerIP = "", type, clusterIP = "" } = spec;
  const isExternal = type === "ExternalName";
  const warnings: string[] = [];
  if (metadata.annotations?.[HINTS] !== undefined) {
    warnings.push(`annotation ${HINTS} is deprecated, please use ${MODE} instead`);
  }
  if (clusterIP !== "" && clusterIP !== "None" && !isExternal) {
    for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
      warnings.push(...addressWarnings(`spec.clusterIPs[${index}]`, ip));
    }
  }
  if (isHeadless(spec)) {
    if (loadBalancerIP !== "") {
      warnings.push("spec.loadBalancerIP is ignored for headless services");
    }
    if (externalIPs.length > 0) {
      warnings.push("spec.externalIPs is ignored for headless services");
    }
    if (spec.sessionAffinity !== "None") {
      warnings.push("spec.SessionAffinity is ignored for headless services");
    }
  }
  for (const [index, ip] of externalIPs.entries()) {
    warnings.push(...addressWarnings(`spec.externalIPs[${index}]`, ip));
  }
  if (externalIPs.length > 0 && !isHeadless(spec) && !isExternal) {
    warnings.push(
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
  }
  if (loadBalancerIP !== "") {
    warnings.push(...addressWarnings("spec.loadBalancerIP", loadBalancerIP));
  }
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    warnings.push(...rangeWarnings(`spec.loadBalancerSourceRanges[${index}]`, range));
  }
  if (isExternal && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!isExternal && (spec.externalName ?? "") !== "") {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  return spec.trafficDistribution === "PreferClose"
    ? [...warnings, 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
    : warnings;
}
