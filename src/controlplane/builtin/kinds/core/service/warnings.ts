import { isIPv4 } from "node:net";
import type { Check } from "../../../../../kube/check.ts";
import { quote } from "../../../../../kube/field-errors.ts";
import { formatAddress, masked, parseRange } from "../../../shared/addresses/addresses.ts";
import { warnOfAddress } from "../../../shared/addresses/warnings.ts";
import { type Warn, warningsOf } from "../../../shared/checks.ts";
import { isHeadless } from "./addresses.ts";
import { HINTS, MODE } from "./service-validation.ts";
import type { Service } from "./shape.ts";

/** Warns about a range: about its address, and about bits beyond the prefix. */
function warnOfRange(range: Check<string>, warn: Warn): void {
  const { value: text } = range;
  const parsed = parseRange(text);
  if (!parsed) return;
  const { value, bits, length } = parsed;
  const start = { value: masked(parsed, length), bits };
  const usual = quote(`${formatAddress(start)}/${length}`);
  const [head = "", tail = ""] = text.split("/");
  if ((bits === 32 && !isIPv4(head)) || /^0\d/.test(tail)) {
    warn(range, `non-standard CIDR value ${quote(text)} is invalid: use ${usual}`);
  } else if (start.value !== value) {
    const whole = quote(`${formatAddress(parsed)}/${bits}`);
    const ambiguous = `CIDR value ${quote(text)} is ambiguous in this context`;
    warn(range, `${ambiguous} (should be ${usual} or ${whole}?)`);
  } else if (bits === 128 && usual !== quote(text)) {
    const detail = `should be in RFC 5952 canonical format (${usual})`;
    warn(range, `IPv6 CIDR value ${quote(text)} ${detail}`);
  }
}

export const serviceWarnings = (object: Service): string[] => warningsOf(object, warnOfService);

function warnOfService(service: Check<Service>, warn: Warn): void {
  const spec = service.at("spec");
  const { externalIPs = [], loadBalancerIP = "", type, clusterIP = "" } = spec.value;
  const isExternal = type === "ExternalName";
  const isWithout = isHeadless(spec.value);
  const say = (text: string): void => warn(undefined, text);
  if (service.value.metadata.annotations?.[HINTS] !== undefined) {
    say(`annotation ${HINTS} is deprecated, please use ${MODE} instead`);
  }
  if (clusterIP !== "" && clusterIP !== "None" && !isExternal) {
    spec.at("clusterIPs").each((ip) => warnOfAddress(ip, warn));
  }
  if (isWithout) {
    const ignored = "is ignored for headless services";
    if (loadBalancerIP !== "") say(`spec.loadBalancerIP ${ignored}`);
    if (externalIPs.length > 0) say(`spec.externalIPs ${ignored}`);
    if (spec.value.sessionAffinity !== "None") say(`spec.SessionAffinity ${ignored}`);
  }
  spec.at("externalIPs").each((ip) => warnOfAddress(ip, warn));
  if (externalIPs.length > 0 && !isWithout && !isExternal) {
    say("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (loadBalancerIP !== "") warnOfAddress(spec.child("loadBalancerIP", loadBalancerIP), warn);
  spec.at("loadBalancerSourceRanges").each((range) => warnOfRange(range, warn));
  if (isExternal && externalIPs.length > 0) {
    say('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!isExternal && spec.value.externalName) {
    say('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  const distribution = spec.at("trafficDistribution");
  if (distribution.value === "PreferClose") {
    warn(distribution, '"PreferClose" is deprecated; use "PreferSameZone"');
  }
}
