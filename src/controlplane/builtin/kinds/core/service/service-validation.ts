import { type Check, IMMUTABLE } from "../../../../../kube/check.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../../../kube/names.ts";
import {
  addressErrors,
  endpointAddressErrors,
  rangeErrors,
} from "../../../shared/addresses/addresses.ts";
import {
  checkHostname,
  checkLabels,
  checkPortNumber,
  checkPortReference,
} from "../../../shared/checks.ts";
import {
  checkAddressChange,
  checkClusterAddresses,
  checkUnaddressed,
  isHeadless,
} from "./addresses.ts";
import { isExternallyAccessible, needsHealthCheckPort } from "./preparation.ts";
import type { Service, ServicePort, ServiceSpec as Spec } from "./shape.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const TRAFFIC = ["Cluster", "Local"];
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];

const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

/** The annotations for topology: the deprecated one, and its successor. */
export const HINTS = "service.kubernetes.io/topology-aware-hints";
export const MODE = "service.kubernetes.io/topology-mode";
const RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";

export function checkService(service: Check<Service>): void {
  const spec = service.at("spec");
  const { type = "", ports = [] } = spec.value;
  const { [HINTS]: hints, [MODE]: mode } = service.value.metadata.annotations ?? {};
  if (mode !== undefined && hints !== undefined && mode !== hints) {
    const annotation = service.child(`metadata.annotations[${MODE}]`, mode);
    annotation.invalid(`must match annotations[${HINTS}] when both are specified`);
  }
  if (ports.length === 0 && !isHeadless(spec.value) && type !== "ExternalName") {
    spec.at("ports").required();
  }
  checkType(spec);
  checkPorts(spec.child("ports", ports));
  checkLabels(spec.at("selector"));
  checkAffinity(spec);
  checkClusterAddresses(spec);
  spec.at("externalIPs").each((address) => {
    if (address.named(addressErrors)) address.named(endpointAddressErrors);
  });
  spec.at("type").oneOf(TYPES);
  checkPortNumbers(spec);
  checkBalancer(service);
  checkTraffic(spec);
}

function checkType(spec: Check<Spec>): void {
  const { type = "", externalName = "" } = spec.value;
  if (type === "ExternalName") {
    checkUnaddressed(spec);
    const name = spec.child("externalName", externalName.replace(/\.$/, ""));
    name.givenName(dns1123SubdomainErrors);
  } else if (isHeadless(spec.value) && (type === "LoadBalancer" || type === "NodePort")) {
    spec.child("clusterIPs[0]", "None").invalid(`may not be set to 'None' for ${type} services`);
  }
}

function checkPorts(ports: Check<ServicePort[]>): void {
  const names = new Set<string>();
  ports.each((port) => {
    const name = port.at("name");
    if (!name.value) {
      if (ports.value.length > 1) name.required();
    } else {
      name.named(dns1123LabelErrors);
      name.uniqueIn(names);
    }
    checkPortNumber(port.at("port"));
    port.at("protocol").oneOf(["SCTP", "TCP", "UDP"]);
    checkPortReference(port.at("targetPort"));
    port.at("appProtocol").ifSet((protocol) => protocol.named(qualifiedNameErrors));
  });
}

function checkAffinity(spec: Check<Spec>): void {
  const { sessionAffinity, sessionAffinityConfig } = spec.value;
  const config = spec.at("sessionAffinityConfig");
  if (sessionAffinity === "None") {
    if (sessionAffinityConfig) config.forbidden("must not be set when session affinity is None");
  } else if (sessionAffinity === "ClientIP") {
    config.at("clientIP", "timeoutSeconds").ifSet((seconds) => {
      if (seconds.value > 0 && seconds.value <= 86_400) return;
      seconds.invalid("must be greater than 0 and less than 86400");
    });
  } else spec.at("sessionAffinity").oneOf(["ClientIP", "None"]);
}

/** Validates that port numbers are unique. */
function checkPortNumbers(spec: Check<Spec>): void {
  const ports = spec.at("ports");
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  if (spec.value.type === "ClusterIP") {
    ports.each((port) => {
      if (!port.value.nodePort) return;
      port.at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
    });
  }
  ports.each((port) => {
    const { protocol, nodePort } = port.value;
    if (nodePort) port.at("nodePort").uniqueIn(nodePorts, [protocol, nodePort], nodePort);
  });
  ports.each((port) => {
    const { protocol = "", port: number } = port.value;
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: number };
    port.uniqueIn(numbers, [protocol, number], { ...shown, TargetPort: 0, NodePort: 0 });
  });
}

function checkBalancer(service: Check<Service>): void {
  const spec = service.at("spec");
  const isBalancer = spec.value.type === "LoadBalancer";
  const { loadBalancerSourceRanges: list = [] } = spec.value;
  const annotated = service.value.metadata.annotations?.[RANGES]?.trim();
  if (list.length > 0) {
    const ranges = spec.child("LoadBalancerSourceRanges", list);
    if (!isBalancer) ranges.forbidden(BALANCER_ONLY);
    ranges.each((range) => range.as(range.value.trim()).named(rangeErrors));
  } else if (annotated !== undefined) {
    const ranges = service.child(`metadata.annotations[${RANGES}]`, annotated);
    if (!isBalancer) ranges.forbidden(BALANCER_ONLY);
    for (const range of annotated === "" ? [] : annotated.split(",")) {
      ranges.as(range.trim()).named(rangeErrors);
    }
  }
  if (!isBalancer) {
    spec.at("allocateLoadBalancerNodePorts").ifSet((flag) => flag.forbidden(BALANCER_ONLY));
  }
  checkClass(spec);
}

function checkClass(spec: Check<Spec>): void {
  spec.at("loadBalancerClass").ifSet((name) => {
    if (spec.value.type === "LoadBalancer") name.named(qualifiedNameErrors);
    else name.forbidden(BALANCER_ONLY);
  });
}

function checkTraffic(spec: Check<Spec>): void {
  const { type = "", internalTrafficPolicy } = spec.value;
  const external = spec.at("externalTrafficPolicy");
  const port = spec.at("healthCheckNodePort");
  if (isExternallyAccessible(spec.value)) {
    if (external.given()) external.oneOf(TRAFFIC);
  } else if (external.value) {
    external.invalid("may only be set for externally-accessible services");
  }
  if (needsHealthCheckPort(spec.value)) checkPortNumber(port);
  else if (port.value) {
    port.invalid(
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  }
  const internal = spec.at("internalTrafficPolicy");
  if (internalTrafficPolicy !== undefined) internal.oneOf(TRAFFIC);
  else if (type !== "ExternalName" && TYPES.includes(type)) internal.required();
  spec.at("trafficDistribution").ifSet((distribution) => distribution.oneOf(DISTRIBUTIONS));
}

export function checkServiceChange(service: Check<Service>, { spec: old }: Service): void {
  const spec = service.at("spec");
  const { type, loadBalancerClass = null, healthCheckNodePort } = spec.value;
  checkAddressChange(spec, old);
  const isBalancer = type === "LoadBalancer" && old.type === "LoadBalancer";
  if (isBalancer && loadBalancerClass !== (old.loadBalancerClass ?? null)) {
    spec.at("loadBalancerClass").invalid("may not change once set", loadBalancerClass);
  }
  checkClass(spec);
  const hasPort = needsHealthCheckPort(spec.value) && needsHealthCheckPort(old);
  if (hasPort && healthCheckNodePort !== old.healthCheckNodePort) {
    spec.at("healthCheckNodePort").forbidden(IMMUTABLE);
  }
  checkService(service);
}

export function checkServiceStatus(service: Check<Service>): void {
  const ingress = service.at("status", "loadBalancer", "ingress");
  if (service.value.spec.type !== "LoadBalancer") {
    if (ingress.value?.length) {
      ingress.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    }
    return;
  }
  ingress.each((entry) => {
    const { ip, ipMode, hostname } = entry.value;
    const mode = entry.at("ipMode");
    if (ip) entry.at("ip").named(addressErrors);
    if (ipMode === undefined) {
      if (ip) mode.required("must be specified when `ip` is set");
    } else if (!ip) mode.forbidden("may not be specified when `ip` is not set");
    else mode.oneOf(["Proxy", "VIP"]);
    if (hostname) checkHostname(entry.at("hostname"));
  });
}
