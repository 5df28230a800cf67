/** Defaults of Services, and the preparation of creates and updates. */
import { Check } from "../../../../../kube/check.ts";
import { invalid } from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { checkClusterAddresses, familyOf } from "./addresses.ts";
import { allocateFor } from "./allocation.ts";
import type { Service, ServicePort, ServiceSpec } from "./shape.ts";

const KIND = { group: "", kind: "Service" };

export function setServiceDefaults(object: Service): void {
  const { spec, status } = object;
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP") {
    spec.sessionAffinityConfig ??= {};
    (spec.sessionAffinityConfig.clientIP ??= {}).timeoutSeconds ??= 10_800;
  }
  spec.type ??= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    if (!port.targetPort) port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) {
    spec.internalTrafficPolicy ??= "Cluster";
  }
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of status?.loadBalancer?.ingress ?? []) {
      if (ingress.ip) ingress.ipMode ??= "VIP";
    }
  }
}

const hasClusterAddress = (spec: ServiceSpec): boolean => spec.type !== "ExternalName";

/** Whether traffic from outside of the cluster reaches the Service. */
export const isExternallyAccessible = (spec: ServiceSpec): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

const needsNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === "NodePort" ||
  (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

/** Whether the Service needs a port for health checks of the nodes that serve it. */
export const needsHealthCheckPort = (spec: ServiceSpec): boolean =>
  spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

export function prepareServiceForCreate(service: Service, context: WriteContext): void {
  if (service.spec.clusterIP && !service.spec.clusterIPs) {
    service.spec.clusterIPs = [service.spec.clusterIP];
  }
  allocate(service, context);
}

export function prepareServiceForUpdate(
  service: Service,
  old: Service,
  context: WriteContext,
): void {
  keepAllocated(service.spec, old.spec);
  dropWhatTypeLacks(service.spec, old.spec);
  if (service.spec.type !== "LoadBalancer" && service.status) service.status.loadBalancer = {};
  allocate(service, context, old);
}

/** Keeps allocated values that an update leaves out. */
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (hasClusterAddress(spec) && hasClusterAddress(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
  }
  bringAddressesTogether(spec, old);
  if (needsNodePorts(spec) && needsNodePorts(old)) keepNodePorts(spec, old);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
}

/** Aligns the list of addresses with the single address when only that was changed. */
function bringAddressesTogether(spec: ServiceSpec, old: ServiceSpec): void {
  const isSame = (spec.clusterIP ?? "") === (old.clusterIP ?? "");
  if (isSame) {
    if (!spec.clusterIPs && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
    return;
  }
  if (!sameList(spec.clusterIPs, old.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** Keeps the node ports of ports by name, unless another port uses them now. */
function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const numbersOf = (ports: readonly ServicePort[] = []): (number | undefined)[] =>
    ports.map(({ nodePort }) => nodePort);
  const asked = new Set(numbersOf(spec.ports));
  const used = new Set(numbersOf(old.ports).filter((port) => asked.has(port)));
  const before = new Map((old.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const kept = before.get(port.name ?? "");
    if (!port.nodePort && kept && !used.has(kept)) port.nodePort = kept;
  }
}

/** Drops the fields that a new type does not have, unless the update sets them. */
function dropWhatTypeLacks(spec: ServiceSpec, old: ServiceSpec): void {
  const dropKept = (...fields: readonly (keyof ServiceSpec)[]): void => {
    for (const field of fields) {
      if (sameJson(spec[field] ?? null, old[field] ?? null)) delete spec[field];
    }
  };
  if (!hasClusterAddress(spec) && hasClusterAddress(old)) {
    if (sameJson(spec.clusterIPs ?? null, old.clusterIPs ?? null)) delete spec.clusterIP;
    dropKept("clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy");
  }
  if (needsNodePorts(old) && !needsNodePorts(spec) && spec.type !== "LoadBalancer") {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort));
    const ports = spec.ports ?? [];
    if (ports.every(({ nodePort }) => !nodePort || before.has(nodePort))) {
      for (const port of ports) delete port.nodePort;
    }
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec)) dropKept("healthCheckNodePort");
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    dropKept("allocateLoadBalancerNodePorts", "loadBalancerClass");
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) {
    dropKept("externalTrafficPolicy");
  }
}

function allocate(service: Service, context: WriteContext, old?: Service): void {
  const { spec } = service;
  const address = hasClusterAddress(spec);
  if (address) setFamilies(service, old);
  const needs = {
    // A Service keeps its address; a request for another one is refused later.
    address: address && !(old && hasClusterAddress(old.spec)),
    nodePorts: needsNodePorts(spec),
    healthCheckPort: needsHealthCheckPort(spec),
  };
  allocateFor(service, needs, context);
}

/**
 * Fills in the policy and the families. This cluster has IPv4 only, except for headless services
 * without a selector.
 *
 * @throws StatusError 422 when addresses, families and policy are inconsistent
 */
function setFamilies(service: Service, old: Service | undefined): void {
  const { spec } = service;
  if (old && staysPreferred(spec, old.spec)) return;
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack");
  refuseInvalid(service, checkClusterAddresses);
  const families: string[] = [];
  refuseInvalid(service, (it) => {
    if (old) releaseSecond(it, old.spec);
    families.push(...(spec.ipFamilies ?? []));
    checkFamilies(it, families);
  });
  const { ipFamilyPolicy: policy } = spec;
  if (families.length === 0) families.push("IPv4");
  if (!isFree) {
    refuseInvalid(service, (it) => {
      if (policy === "RequireDualStack") {
        it.at("ipFamilyPolicy").invalid("this cluster is not configured for dual-stack services");
      }
      it.child("ipFamilies", families).each((family) => {
        if (family.value !== "IPv4") family.invalid("not configured on this cluster");
      });
    });
  } else if (families.length === 1 && policy !== "SingleStack") {
    families.push(families.includes("IPv4") ? "IPv6" : "IPv4");
  }
  spec.ipFamilies = families;
}

/** Validates addresses and families against the policy, and adds the families of addresses. */
function checkFamilies(spec: Check<ServiceSpec>, families: string[]): void {
  const { clusterIPs = [], ipFamilyPolicy: policy } = spec.value;
  for (const [index, ip] of clusterIPs.entries()) {
    if (ip === "None") break;
    if (index < families.length) continue;
    if (familyOf(ip) === "IPv4") families.push("IPv4");
    else {
      const address = spec.child(`clusterIPs[${index}]`, clusterIPs);
      address.invalid("IPv6 is not configured on this cluster");
    }
  }
  for (const [list, what] of [
    [clusterIPs, "cluster IPs"],
    [families, "IP families"],
  ] as const) {
    if (policy !== "SingleStack" || list.length !== 2) continue;
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    spec.at("ipFamilyPolicy").invalid(detail);
  }
}

const sameList = (left: readonly string[] = [], right: readonly string[] = []): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/**
 * Whether an update of a Service with `PreferDualStack` leaves addresses and families alone: then
 * none is added or released.
 */
function staysPreferred(spec: ServiceSpec, old: ServiceSpec): boolean {
  const policy = "PreferDualStack";
  return (
    spec.type === old.type &&
    spec.ipFamilyPolicy === policy &&
    (old.ipFamilyPolicy ?? policy) === policy &&
    sameList(spec.clusterIPs, old.clusterIPs) &&
    sameList(spec.ipFamilies, old.ipFamilies)
  );
}

/**
 * Releases the second address and family of a Service that becomes single-stack, unless the update
 * changes them; a dual-stack one must keep both.
 */
function releaseSecond(service: Check<ServiceSpec>, old: ServiceSpec): void {
  const { value: spec } = service;
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy: policy } = spec;
  if (policy === "SingleStack") {
    if (sameList(clusterIPs, old.clusterIPs)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (sameList(ipFamilies, old.ipFamilies)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return;
  }
  for (const [now, before = [], what] of [
    [clusterIPs, old.clusterIPs, "cluster IP"],
    [ipFamilies, old.ipFamilies, "IP family"],
  ] as const) {
    if (now.length === 0 || now.length >= before.length) continue;
    const detail = `must be 'SingleStack' to release the secondary ${what}`;
    service.at("ipFamilyPolicy").invalid(detail);
  }
}

/** @throws StatusError 422 when `check` finds something wrong in the spec */
function refuseInvalid(service: Service, check: (spec: Check<ServiceSpec>) => void): void {
  const errors = Check.errorsOf(service.spec, check, "spec");
  if (errors.length > 0) throw invalid(KIND, service.metadata.name ?? "", errors);
}
