/**
 * Services: defaults, cluster addresses and node ports.
 *
 * The cluster has one address family, IPv4, and the range 10.96.0.0/16.
 *
 * @module
 */
import { isIPv4 } from "node:net";
import { type FieldError, invalid, invalidValue } from "../../../kube/field-errors.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { WriteContext } from "../../kinds.ts";
import type { Service, ServicePort } from "./shapes.ts";
import { clusterAddressErrors, familyOf } from "./validation/service-addresses.ts";

const RANGE_PREFIX = "10.96.";
const RANGE_SIZE = 65_534;
const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;
const KIND = { group: "", kind: "Service" };

export function setServiceDefaults(object: KubeObject): void {
  const { spec, status } = object as Service;
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
  if (spec.type !== "ExternalName" && hasClusterAddress(spec)) {
    spec.internalTrafficPolicy ??= "Cluster";
  }
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of status?.loadBalancer?.ingress ?? []) {
      if (ingress.ip) ingress.ipMode ??= "VIP";
    }
  }
}

const hasClusterAddress = (spec: Service["spec"]): boolean =>
  spec.type === "ClusterIP" || spec.type === "NodePort" || spec.type === "LoadBalancer";

/** Whether traffic from outside of the cluster reaches it. */
export const isExternallyAccessible = (spec: Service["spec"]): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

const needsNodePorts = (spec: Service["spec"]): boolean =>
  spec.type === "NodePort" ||
  (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

/** Whether a port of its own tells who serves on a node. */
export const needsHealthCheckPort = (spec: Service["spec"]): boolean =>
  spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

export function prepareServiceForCreate(object: KubeObject, context: WriteContext): void {
  const service = object as Service;
  if (service.spec.clusterIP && !service.spec.clusterIPs) {
    service.spec.clusterIPs = [service.spec.clusterIP];
  }
  allocate(service, context);
}

export function prepareServiceForUpdate(
  object: KubeObject,
  previous: KubeObject,
  context: WriteContext,
): void {
  const service = object as Service;
  const old = previous as Service;
  keepAllocated(service.spec, old.spec);
  dropWhatTypeLacks(service.spec, old.spec);
  if (service.spec.type !== "LoadBalancer" && service.status) service.status.loadBalancer = {};
  allocate(service, context, old);
}

/** What was allocated stays when an update leaves it out. */
function keepAllocated(spec: Service["spec"], old: Service["spec"]): void {
  if (hasClusterAddress(spec) && hasClusterAddress(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs && old.clusterIPs && spec.clusterIP === old.clusterIP) {
      spec.clusterIPs = [...old.clusterIPs];
    }
  }
  if (spec.clusterIP && !spec.clusterIPs) spec.clusterIPs = [spec.clusterIP];
  if (needsNodePorts(spec) && needsNodePorts(old)) {
    const before = new Map((old.ports ?? []).map((port) => [portKey(port), port.nodePort]));
    for (const port of spec.ports ?? []) {
      const kept = port.nodePort ? undefined : before.get(portKey(port));
      if (kept) port.nodePort = kept;
    }
  }
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
}

const portKey = (port: ServicePort): string => `${port.protocol ?? "TCP"}/${port.port}`;

/** A change of the type drops what the new type does not have, unless the update sets it. */
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
  if (hasClusterAddress(spec)) {
    setFamilies(service, old);
    const taken = new Set<string>();
    for (const other of others(service, context)) {
      for (const ip of other.spec.clusterIPs ?? []) taken.add(ip);
    }
    allocateAddress(service, taken, context);
  }
  const used = new Map<number, Set<string>>();
  for (const other of others(service, context)) {
    for (const port of other.spec.ports ?? []) {
      if (port.nodePort) usePort(used, port.nodePort, port.protocol ?? "TCP");
    }
    if (other.spec.healthCheckNodePort) usePort(used, other.spec.healthCheckNodePort, "TCP");
  }
  if (needsNodePorts(spec)) allocateNodePorts(service, used, context);
  if (needsHealthCheckPort(spec)) {
    spec.healthCheckNodePort ??= freeNodePort(used, "TCP", context);
  }
}

function others(service: Service, context: WriteContext): Service[] {
  const { name, namespace } = service.metadata;
  return (context.list("", "services") as Service[]).filter(
    ({ metadata }) => metadata.name !== name || metadata.namespace !== namespace,
  );
}

/**
 * Fills in policy and families; this cluster has IPv4 only, which a headless service without pods need not mind.
 *
 * @throws StatusError 422 when addresses, families and policy do not go together
 */
function setFamilies(service: Service, old: Service | undefined): void {
  const { spec } = service;
  if (old && staysPreferred(spec, old.spec)) return;
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack");
  refuseAll(service, clusterAddressErrors(spec));
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

/** Whether an update leaves addresses and families alone that prefer two stacks: then nothing is added or released. */
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

/** One stack lets go of the second address and family, when the update leaves them; two stacks may not lose one. */
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

function allocateAddress(
  service: Service,
  taken: ReadonlySet<string>,
  context: WriteContext,
): void {
  const { spec } = service;
  const wanted = spec.clusterIPs?.[0] ?? spec.clusterIP;
  if (wanted === "None") return;
  if (wanted) {
    if (isIPv4(wanted) && !wanted.startsWith(RANGE_PREFIX)) {
      throw refusal(
        service,
        invalidValue(
          "spec.clusterIPs",
          spec.clusterIPs ?? [wanted],
          `failed to allocate IP ${wanted}: the provided network does not match the current range`,
        ),
      );
    }
    if (taken.has(wanted) && isIPv4(wanted)) {
      throw refusal(
        service,
        invalidValue(
          "spec.clusterIPs",
          spec.clusterIPs ?? [wanted],
          `failed to allocate IP ${wanted}: provided IP is already allocated`,
        ),
      );
    }
    return;
  }
  const start = Math.floor(context.clock.random() * RANGE_SIZE);
  for (let step = 0; step < RANGE_SIZE; step++) {
    // .0.0 is the network, .0.1 the API server, .255.255 the broadcast address.
    const number = 2 + ((start + step) % (RANGE_SIZE - 1));
    const ip = `${RANGE_PREFIX}${number >> 8}.${number & 255}`;
    if (!taken.has(ip)) {
      spec.clusterIP = ip;
      spec.clusterIPs = [ip];
      return;
    }
  }
  throw refusal(
    service,
    invalidValue("spec.clusterIPs", [], "failed to allocate a serviceIP: range is full"),
  );
}

function allocateNodePorts(
  service: Service,
  used: Map<number, Set<string>>,
  context: WriteContext,
): void {
  const ports = service.spec.ports ?? [];
  ports.forEach((port, index) => {
    if (!port.nodePort) return;
    const field = `spec.ports[${index}].nodePort`;
    const inRange =
      port.nodePort >= FIRST_NODE_PORT && port.nodePort < FIRST_NODE_PORT + NODE_PORTS;
    if (!inRange) {
      throw refusal(
        service,
        invalidValue(
          field,
          port.nodePort,
          `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${FIRST_NODE_PORT + NODE_PORTS - 1}`,
        ),
      );
    }
    const protocol = port.protocol ?? "TCP";
    if (used.get(port.nodePort)?.has(protocol)) {
      throw refusal(
        service,
        invalidValue(field, port.nodePort, "provided port is already allocated"),
      );
    }
    usePort(used, port.nodePort, protocol);
  });
  const given = new Map<number, number>();
  for (const port of ports) {
    const protocol = port.protocol ?? "TCP";
    if (port.nodePort) {
      given.set(port.port, port.nodePort);
      continue;
    }
    // The same port over TCP and UDP gets one number where it can.
    const twin = given.get(port.port);
    const number =
      twin !== undefined && !used.get(twin)?.has(protocol)
        ? twin
        : freeNodePort(used, protocol, context);
    port.nodePort = number;
    given.set(port.port, number);
    usePort(used, number, protocol);
  }
}

function usePort(used: Map<number, Set<string>>, port: number, protocol: string): void {
  const protocols = used.get(port) ?? new Set();
  used.set(port, protocols.add(protocol));
}

function freeNodePort(
  used: ReadonlyMap<number, ReadonlySet<string>>,
  protocol: string,
  context: WriteContext,
): number {
  const start = Math.floor(context.clock.random() * NODE_PORTS);
  for (let step = 0; step < NODE_PORTS; step++) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS);
    if (!used.has(port)) return port;
  }
  throw invalid(KIND, "", [
    invalidValue("spec.ports", protocol, "failed to allocate a nodePort: range is full"),
  ]);
}

const refusal = (service: Service, error: FieldError): Error =>
  invalid(KIND, service.metadata.name ?? "", [error]);
