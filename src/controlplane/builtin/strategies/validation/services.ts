/**
 * Validation of Services.
 *
 * @module
 */
import { isIP, isIPv6 } from "node:net";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import { isExternallyAccessible } from "../service-rules.ts";
import type { Service } from "../shapes.ts";
import { labelErrors, nameErrorsAt, portNumber, portReference } from "./checks.ts";

type Spec = Service["spec"];

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const TRAFFIC = ["Cluster", "Local"];
const FAMILIES = ["IPv4", "IPv6"];
const FAMILY_POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

/** Everything wrong with a Service as it is. */
export function serviceErrors(object: KubeObject): FieldError[] {
  const { spec } = object as Service;
  return [
    ...portsErrors(spec),
    ...labelErrors("spec.selector", spec.selector),
    ...affinityErrors(spec),
    ...typeErrors(spec),
    ...externalErrors(spec),
    ...trafficErrors(spec),
    ...familyErrors(spec),
    ...addressErrors(spec),
  ];
}

const isHeadless = ({ clusterIP, clusterIPs }: Spec): boolean =>
  clusterIP === "None" || clusterIPs?.[0] === "None";

function portsErrors(spec: Spec): FieldError[] {
  const { ports = [], type } = spec;
  if (ports.length === 0) {
    return isHeadless(spec) || type === "ExternalName" ? [] : [required("spec.ports")];
  }
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const pairs = new Set<string>();
  ports.forEach((port, index) => {
    const at = `spec.ports[${index}]`;
    const { name = "", protocol = "" } = port;
    if (name === "") {
      if (ports.length > 1) errors.push(required(`${at}.name`));
    } else {
      errors.push(...nameErrorsAt(`${at}.name`, name, dns1123LabelErrors));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    errors.push(...portNumber(`${at}.port`, port.port));
    if (!PROTOCOLS.includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    }
    errors.push(...portReference(`${at}.targetPort`, port.targetPort));
    const pair = `${protocol}/${port.port}`;
    if (pairs.has(pair)) {
      const shown = {
        Name: "",
        Protocol: protocol,
        AppProtocol: null,
        Port: port.port,
        TargetPort: 0,
        NodePort: 0,
      };
      errors.push(duplicate(at, shown));
    }
    pairs.add(pair);
    if (port.nodePort && type === "ClusterIP") {
      errors.push(forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  });
  return errors;
}

function affinityErrors({ sessionAffinity = "", sessionAffinityConfig }: Spec): FieldError[] {
  if (sessionAffinity !== "ClientIP" && sessionAffinity !== "None") {
    return [notSupported("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"])];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  return seconds !== undefined && (seconds <= 0 || seconds > 86_400)
    ? [
        invalidValue(
          "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
          seconds,
          "must be greater than 0 and less than 86400",
        ),
      ]
    : [];
}

function typeErrors(spec: Spec): FieldError[] {
  const { type = "", externalName = "", clusterIPs } = spec;
  if (!TYPES.includes(type)) return [notSupported("spec.type", type, TYPES)];
  const errors: FieldError[] = [];
  if (type === "ExternalName") {
    if ((clusterIPs ?? []).length > 0) {
      errors.push(forbidden("spec.clusterIPs", "may not be set for ExternalName services"));
    }
    const bare = externalName.replace(/\.$/, "");
    if (bare === "") errors.push(required("spec.externalName"));
    else errors.push(...nameErrorsAt("spec.externalName", bare, dns1123SubdomainErrors));
  } else if (isHeadless(spec) && type !== "ClusterIP") {
    errors.push(
      invalidValue("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`),
    );
  }
  return errors;
}

function externalErrors(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const balancer = spec.type === "LoadBalancer";
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const field = `spec.externalIPs[${index}]`;
    if (isIP(ip) === 0) errors.push(invalidValue(field, ip, ADDRESS));
    else if (/^127\./.test(ip) || ip === "::1") {
      errors.push(
        invalidValue(field, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
      );
    } else if (ip === "0.0.0.0" || ip === "::") {
      errors.push(invalidValue(field, ip, `may not be unspecified (${ip})`));
    }
  }
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0 && !balancer) {
    errors.push(forbidden("spec.LoadBalancerSourceRanges", BALANCER_ONLY));
  } else {
    for (const [index, range] of ranges.entries()) {
      if (!isCidr(range.trim())) {
        errors.push(
          invalidValue(
            `spec.LoadBalancerSourceRanges[${index}]`,
            range,
            "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
          ),
        );
      }
    }
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !balancer) {
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", BALANCER_ONLY));
  }
  if (spec.loadBalancerClass !== undefined && !balancer) {
    errors.push(forbidden("spec.loadBalancerClass", BALANCER_ONLY));
  }
  return errors;
}

/** An address and the length of its prefix. */
function isCidr(text: string): boolean {
  const [address = "", length = "", ...rest] = text.split("/");
  const bits = isIPv6(address) ? 128 : 32;
  return isIP(address) !== 0 && rest.length === 0 && /^\d+$/.test(length) && Number(length) <= bits;
}

function trafficErrors(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy: external, internalTrafficPolicy: internal } = spec;
  if (external !== undefined) {
    if (!isExternallyAccessible(spec)) {
      errors.push(
        invalidValue(
          "spec.externalTrafficPolicy",
          external,
          "may only be set for externally-accessible services",
        ),
      );
    } else if (!TRAFFIC.includes(external)) {
      errors.push(notSupported("spec.externalTrafficPolicy", external, TRAFFIC));
    }
  }
  const local = spec.type === "LoadBalancer" && external === "Local";
  if (spec.healthCheckNodePort && !local) {
    errors.push(
      invalidValue(
        "spec.healthCheckNodePort",
        spec.healthCheckNodePort,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  }
  if (internal !== undefined && !TRAFFIC.includes(internal)) {
    errors.push(notSupported("spec.internalTrafficPolicy", internal, TRAFFIC));
  }
  return errors;
}

function familyErrors({ type, ipFamilies = [], ipFamilyPolicy, ...spec }: Spec): FieldError[] {
  if (type === "ExternalName") return [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const unselected = spec.clusterIP === "None" && !spec.selector;
  for (const [index, family] of ipFamilies.entries()) {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(notSupported(field, family, FAMILIES));
    else if (seen.has(family)) errors.push(duplicate(field, family));
    else if (family === "IPv6" && !unselected) {
      errors.push(invalidValue(field, family, "not configured on this cluster"));
    }
    seen.add(family);
  }
  if (ipFamilyPolicy !== undefined && !FAMILY_POLICIES.includes(ipFamilyPolicy)) {
    errors.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, FAMILY_POLICIES));
  } else if (ipFamilyPolicy === "RequireDualStack" && !unselected) {
    errors.push(
      invalidValue(
        "spec.ipFamilyPolicy",
        ipFamilyPolicy,
        "this cluster is not configured for dual-stack services",
      ),
    );
  }
  return errors;
}

function addressErrors({ type, clusterIP = "", clusterIPs = [] }: Spec): FieldError[] {
  if (type === "ExternalName" || clusterIPs.length === 0) return [];
  if (clusterIP === "") {
    return [
      invalidValue(
        "spec.clusterIPs",
        clusterIPs,
        "must be empty when `clusterIP` is not specified",
      ),
    ];
  }
  if (clusterIPs[0] !== clusterIP) {
    return [invalidValue("spec.clusterIPs", clusterIPs, "first value must match `clusterIP`")];
  }
  return clusterIPs.flatMap((ip, index) =>
    ip === "None" || isIP(ip) !== 0 ? [] : [invalidValue(`spec.clusterIPs[${index}]`, ip, ADDRESS)],
  );
}

/** An address, once given, stays. */
export function serviceUpdateErrors(object: KubeObject, previous: KubeObject): FieldError[] {
  const { spec } = object as Service;
  const { spec: old } = previous as Service;
  if (spec.type === "ExternalName" || old.type === "ExternalName") return [];
  const [before] = old.clusterIPs ?? [];
  return before !== undefined && spec.clusterIPs?.[0] !== before
    ? [invalidValue("spec.clusterIPs[0]", spec.clusterIPs ?? null, "may not change once set")]
    : [];
}
