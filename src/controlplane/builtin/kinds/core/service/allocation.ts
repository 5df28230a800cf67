/**
 * The addresses and node ports of Services, out of the ranges of the cluster.
 *
 * A dry run allocates nothing: it answers an address and ports that stand for any.
 */
import { IP_ADDRESSES, SERVICES } from "../../../tokens.ts";
import { isIPv4 } from "node:net";
import { invalid, invalidValue } from "../../../../../kube/field-errors.ts";
import type { WriteContext } from "../../../../kinds.ts";
import type { Service } from "./shape.ts";

const RANGE_PREFIX = "10.96.";
const RANGE_SIZE = 65_534;
const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;
const KIND = { group: "", kind: "Service" };

/** The addresses and ports that must be allocated for a Service. */
interface ServiceNeeds {
  readonly address: boolean;
  readonly nodePorts: boolean;
  readonly healthCheckPort: boolean;
}

/**
 * Allocates the address and the ports that a Service needs, in place.
 *
 * @throws StatusError 422 when the requested address or port is not available
 */
export function allocateFor(
  service: Service,
  { address, nodePorts, healthCheckPort }: ServiceNeeds,
  context: WriteContext,
): void {
  const used = new Map<number, Set<string>>();
  for (const { spec } of others(service, context)) {
    for (const port of spec.ports ?? []) {
      if (port.nodePort) usePort(used, port.nodePort, port.protocol ?? "TCP");
    }
    if (spec.healthCheckNodePort) usePort(used, spec.healthCheckNodePort, "TCP");
  }
  if (address) allocateAddress(service, context);
  const own: number[] = [];
  if (nodePorts) allocateNodePorts(service, used, own, context);
  if (healthCheckPort) {
    service.spec.healthCheckNodePort ??= freeNodePort(used, own, "TCP", context);
  }
}

function others(service: Service, context: WriteContext): Service[] {
  const { name, namespace } = service.metadata;
  return context
    .list(SERVICES)
    .filter(({ metadata }) => metadata.name !== name || metadata.namespace !== namespace);
}

function allocateAddress(service: Service, context: WriteContext): void {
  const { spec } = service;
  const wanted = spec.clusterIPs?.[0] ?? spec.clusterIP;
  if (wanted === "None") return;
  if (wanted) {
    const problem = isIPv4(wanted) ? addressProblem(wanted, context) : undefined;
    if (problem === undefined) return;
    const detail = `failed to allocate IP ${wanted}: ${problem}`;
    throw refusal(service, "spec.clusterIPs", spec.clusterIPs ?? [wanted], detail);
  }
  if (context.dryRun) {
    // A dry run does not search: the network's own address stands for any.
    spec.clusterIP = `${RANGE_PREFIX}0.0`;
    spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const start = Math.floor(context.clock.random() * RANGE_SIZE);
  for (let step = 0; step < RANGE_SIZE; step++) {
    // Excludes .0.0, the network, .0.1, the API server, and .255.255, the broadcast address.
    const number = 2 + ((start + step) % (RANGE_SIZE - 1));
    const ip = `${RANGE_PREFIX}${number >> 8}.${number & 255}`;
    if (!isTaken(ip, context)) {
      spec.clusterIP = ip;
      spec.clusterIPs = [ip];
      return;
    }
  }
  const detail = "failed to allocate a serviceIP: range is full";
  throw refusal(service, "spec.clusterIPs", [], detail);
}

/** The reason why a Service cannot have the requested address. */
function addressProblem(wanted: string, context: WriteContext): string | undefined {
  const { dryRun } = context;
  if (!wanted.startsWith(RANGE_PREFIX)) {
    return dryRun
      ? `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${RANGE_PREFIX}0.0/16`
      : "the provided network does not match the current range";
  }
  return !dryRun && isTaken(wanted, context) ? "provided IP is already allocated" : undefined;
}

/** Whether an IPAddress of that name exists: each address of a Service has one. */
const isTaken = (address: string, context: WriteContext): boolean =>
  context.find(IP_ADDRESSES, { name: address }) !== undefined;

function allocateNodePorts(
  service: Service,
  used: Map<number, Set<string>>,
  own: number[],
  context: WriteContext,
): void {
  const ports = service.spec.ports ?? [];
  ports.forEach((port, index) => {
    if (!port.nodePort) return;
    const field = `spec.ports[${index}].nodePort`;
    const { nodePort, protocol = "TCP" } = port;
    const last = FIRST_NODE_PORT + NODE_PORTS - 1;
    if (!context.dryRun && (nodePort < FIRST_NODE_PORT || nodePort > last)) {
      const valid = `The range of valid ports is ${FIRST_NODE_PORT}-${last}`;
      const detail = `provided port is not in the valid range. ${valid}`;
      throw refusal(service, field, nodePort, detail);
    }
    if (used.get(nodePort)?.has(protocol)) {
      throw refusal(service, field, nodePort, "provided port is already allocated");
    }
    usePort(used, nodePort, protocol);
    own.push(nodePort);
  });
  const given = new Map<number, number>();
  for (const port of ports) {
    const protocol = port.protocol ?? "TCP";
    if (port.nodePort) {
      given.set(port.port, port.nodePort);
      continue;
    }
    // The same port over TCP and UDP gets one node port if possible.
    const twin = given.get(port.port);
    const number =
      twin !== undefined && !used.get(twin)?.has(protocol)
        ? twin
        : freeNodePort(used, own, protocol, context);
    port.nodePort = number;
    given.set(port.port, number);
    usePort(used, number, protocol);
  }
}

function usePort(used: Map<number, Set<string>>, port: number, protocol: string): void {
  const protocols = used.get(port) ?? new Set();
  used.set(port, protocols.add(protocol));
}

/** The first port that a dry run answers when the Service requests none. */
const DRY_RUN_PORT = 32_769;

/** The port below which a dry run searches for a free one. */
const DRY_RUN_SEARCH_END = 100;

/** @param own - the ports of this Service so far */
function freeNodePort(
  used: ReadonlyMap<number, ReadonlySet<string>>,
  own: number[],
  protocol: string,
  context: WriteContext,
): number {
  if (context.dryRun) {
    const next = own.length === 0 ? DRY_RUN_PORT : Math.max(0, ...own) + 1;
    let port = next;
    while (port < DRY_RUN_SEARCH_END && used.has(port)) port++;
    own.push(port < DRY_RUN_SEARCH_END ? port : next);
    return own.at(-1) ?? next;
  }
  const start = Math.floor(context.clock.random() * NODE_PORTS);
  for (let step = 0; step < NODE_PORTS; step++) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORTS);
    if (!used.has(port)) return port;
  }
  throw invalid(KIND, "", [
    invalidValue("spec.ports", protocol, "failed to allocate a nodePort: range is full"),
  ]);
}

const refusal = (service: Service, field: string, value: unknown, detail: string): Error =>
  invalid(KIND, service.metadata.name ?? "", [invalidValue(field, value, detail)]);
