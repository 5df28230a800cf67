/** Defaults of Services, and the preparation of creates and updates. */
import { Check } from "../../../../../kube/check.ts";
import { type FieldError, invalid, invalidValue } from "../../../../../kube/field-errors.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { checkClusterAddresses, familyOf } from "./addresses.ts";
import { allocateFor } from "./allocation.ts";
import type { Service, ServicePort } from "./shape.ts";

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

const hasClusterAddress = (spec: Service["spec"]): boolean => spec.type !== "ExternalName";

/** Whether traffic from outside of the cluster reaches the Service. */
export const isExternallyAccessible = (spec: Service["spec"]): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

const needsNodePorts = (spec: Service["spec"]): boolean =>
  spec.type === "NodePort" ||
  (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

/** Whether the Service needs a port for health checks of the nodes that serve it. */
export const needsHealthCheckPort = (spec: Service["spec"]): boolean =>
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
function keepAllocated(spec: Service["spec"], old: Service["spec"]): void {
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
function bringAddressesTogether(spec: Service["spec"], old: Service["spec"]): void {
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
function keepNodePorts(spec: Service["spec"], old: Service["spec"]): void {
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
function dropWhatTypeLacks(spec: Service["spec"], old: Service["spec"]): void {
  const same = (left: unknown, right: unknown): boolean =>
    JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
  if (!hasClusterAddress(spec) && hasClusterAddress(old)) {
    if (same(spec.clusterIPs, old.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (same(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
    if (spec.internalTrafficPolicy === old.internalTrafficPolicy) delete spec.internalTrafficPolicy;
  }
  if (needsNodePorts(old) && !needsNodePorts(spec) && spec.type !== "LoadBalancer") {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort));
    const ports = spec.ports ?? [];
    if (ports.every(({ nodePort }) => !nodePort || before.has(nodePort))) {
      for (const port of ports) delete port.nodePort;
    }
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec)) {
    if (spec.healthCheckNodePort === old.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
}

function allocate(service: Service, context: WriteContext, old?: Service): void {
  const { spec } = service;
  const address = hasClusterAddress(spec);
  if (address) setFamilies(service, old);
  const nodePorts = needsNodePorts(spec);
  allocateFor(
    service,
    // A Service keeps its address; a request for another one is refused later.
    {
      address: address && !(old && hasClusterAddress(old.spec)),
      nodePorts,
      healthCheckPort: needsHealthCheckPort(spec),
    },
    context,
  );
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
  refuseAll(service, Check.errorsOf(spec, checkClusterAddresses, "spec"));
  const errors = old ? releaseSecond(spec, old.spec) : [];
  const { clusterIPs = [], ipFamilyPolicy: policy } = spec;
  const families = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of clusterIPs.entries()) {
    if (ip === "None") break;
    if (index < families.length) continue;
    if (familyOf(ip) === "IPv4") families.push("IPv4");
    else {
      const detail = "IPv6 is not configured on this cluster";
      errors.push(invalidValue(`spec.clusterIPs[${index}]`, clusterIPs, detail));
    }
  }
  const field = "spec.ipFamilyPolicy";
  for (const [list, what] of [
    [clusterIPs, "cluster IPs"],
    [families, "IP families"],
  ] as const) {
    if (policy !== "SingleStack" || list.length !== 2) continue;
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    errors.push(invalidValue(field, policy, detail));
  }
  refuseAll(service, errors);
  if (isFree) {
    const [first = "IPv4"] = families;
    const second = first === "IPv4" ? "IPv6" : "IPv4";
    spec.ipFamilies =
      families.length < 2 && policy !== "SingleStack"
        ? [first, second]
        : families.length === 0
          ? [first]
          : families;
    return;
  }
  refuseAll(service, [
    ...(policy === "RequireDualStack"
      ? [invalidValue(field, policy, "this cluster is not configured for dual-stack services")]
      : []),
    ...families.flatMap((family, index) =>
      family === "IPv4"
        ? []
        : [invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ]);
  spec.ipFamilies = families.length === 0 ? ["IPv4"] : families;
}

const sameList = (left: readonly string[] = [], right: readonly string[] = []): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/**
 * Whether an update of a Service with `PreferDualStack` leaves addresses and families alone: then
 * none is added or released.
 */
function staysPreferred(spec: Service["spec"], old: Service["spec"]): boolean {
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
function releaseSecond(spec: Service["spec"], old: Service["spec"]): FieldError[] {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy: policy } = spec;
  if (policy === "SingleStack") {
    if (sameList(clusterIPs, old.clusterIPs)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (sameList(ipFamilies, old.ipFamilies)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const isReduced = (list: readonly string[], before: readonly string[] = []): boolean =>
    list.length > 0 && list.length < before.length;
  const mustRelease = (what: string): FieldError =>
    invalidValue(
      "spec.ipFamilyPolicy",
      policy,
      `must be 'SingleStack' to release the secondary ${what}`,
    );
  return [
    ...(isReduced(clusterIPs, old.clusterIPs) ? [mustRelease("cluster IP")] : []),
    ...(isReduced(ipFamilies, old.ipFamilies) ? [mustRelease("IP family")] : []),
  ];
}

function refuseAll(service: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(KIND, service.metadata.name ?? "", errors);
}
