/**
 * What the writer of a Service is told although it is let through.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { addressWarnings, rangeWarnings } from "./address-warnings.ts";
import type { Service } from "./shapes.ts";
import { isHeadless } from "./validation/service-addresses.ts";

const HINTS = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";

/** Warnings on Services. */
export function serviceWarnings(object: SentObject): string[] {
  const { spec, metadata } = object as Service;
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
