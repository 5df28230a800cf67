/**
 * The EndpointSlices that a Service needs; existing ones are kept as far as possible.
 *
 * Pure; the controller reads and writes.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
import type { Endpoint } from "../../../generated/k8s/discovery-v1.ts";
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { present } from "../../../present.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import type { ResourceName } from "../../resource-name.ts";
import { controllerReference } from "../framework/owner-references.ts";
import { isReady } from "../pods/pods.ts";
import { canonicalJson } from "../../../kube/canonical-json.ts";
import {
  type EndpointPort,
  HEADLESS,
  addressesOf,
  headlessLabel,
  hostnameOf,
  referenceTo,
  resolvePorts,
  sortedByHash,
} from "./service-pods.ts";
import { tableOf } from "../../../table.ts";

const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGER = "endpointslice-controller.k8s.io";
const ZONE = "topology.kubernetes.io/zone";
const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
const SLICE_SIZE = 100;
/** Values of `trafficDistribution` that prefer close endpoints, and whether those must be on the same node. */
const NEAR = tableOf<boolean>({
  PreferClose: false,
  PreferSameZone: false,
  PreferSameNode: true,
});

export interface EndpointSlice extends SentObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
}

export const ENDPOINT_SLICES: ResourceName<EndpointSlice> = {
  group: "discovery.k8s.io",
  plural: "endpointslices",
};

/** The slices to write. An updated slice has the metadata of the one that it replaces. */
export interface SlicePlan {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly remove: EndpointSlice[];
  /** Reasons why pods cannot be shown yet. */
  readonly problems: string[];
}

interface Group {
  readonly ports: EndpointPort[];
  readonly wanted: Map<string, Endpoint>;
}

/** The labels that select the slices of a Service that a controller manages. */
export const sliceLabels = (service: string, manager = MANAGER): Record<string, string> => ({
  [SERVICE_NAME]: service,
  [MANAGED_BY]: manager,
});

/** The key of the Service of a slice that a controller manages; none for other slices. */
export function serviceKeys({ metadata }: SentObject, manager = MANAGER): string[] {
  const { namespace = "", labels = {} } = metadata;
  return labels[MANAGED_BY] === manager ? [`${namespace}/${labels[SERVICE_NAME] ?? ""}`] : [];
}

/** A new slice, named after its owner, the Service or Endpoints of that name. */
export function newSlice(
  owner: SentObject,
  labels: Readonly<Record<string, string>>,
  content: Pick<EndpointSlice, "addressType" | "endpoints" | "ports">,
): EndpointSlice {
  const { name = "", namespace = "" } = owner.metadata;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      ownerReferences: [controllerReference(owner)],
    },
    ...content,
  };
}

/** A text that is the same for slices with the same content and labels. */
export const contentOf = ({ addressType, endpoints, ports, metadata }: EndpointSlice): string =>
  canonicalJson([addressType, endpoints ?? [], ports ?? [], metadata.labels ?? {}]);

/** The changes from the existing slices to slices with `pods`. */
export function planSlices(
  service: Service,
  existing: readonly EndpointSlice[],
  pods: readonly Pod[],
  nodeNamed: (name: string) => Node | undefined,
): SlicePlan {
  const isIPv4 = ({ addressType }: EndpointSlice): boolean => addressType === "IPv4";
  const fits = (slice: EndpointSlice): boolean => isIPv4(slice) && isOwnedBy(slice, service);
  const own = existing.filter(fits);
  const remove = existing.filter((slice) => !fits(slice));
  const plan: SlicePlan = { create: [], update: [], remove, problems: [] };
  const groups = groupsOf(service, pods, nodeNamed, plan.problems);
  for (const [id, group] of groups) {
    const slices = own.filter(({ ports }) => idOf(ports ?? []) === id);
    planGroup(service, slices, group, plan);
  }
  plan.remove.push(...own.filter(({ ports }) => !groups.has(idOf(ports ?? []))));
  const leaving = plan.remove.filter(isIPv4);
  if (existing.filter(isIPv4).length === leaving.length && plan.create.length === 0) {
    const placeholder = sliceOf(service, []);
    const [only] = leaving;
    if (only && leaving.length === 1 && contentOf(only) === contentOf(placeholder)) {
      plan.remove.splice(plan.remove.indexOf(only), 1);
    } else plan.create.push(placeholder);
  }
  recycle(service, plan);
  return plan;
}

function groupsOf(
  service: Service,
  pods: readonly Pod[],
  nodeNamed: (name: string) => Node | undefined,
  problems: string[],
): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const ports = sortedByHash(resolvePorts(service, pod), printed);
    const group = groups.get(idOf(ports)) ?? { ports, wanted: new Map<string, Endpoint>() };
    groups.set(idOf(ports), group);
    const { nodeName = "" } = pod.spec;
    const node = nodeName === "" ? undefined : nodeNamed(nodeName);
    if (!node && service.spec.publishNotReadyAddresses !== true) {
      const { name = "", namespace = "" } = service.metadata;
      const at = `Pod ${pod.metadata.name ?? ""} for Service ${namespace}/${name}`;
      problems.push(`skipping ${at}: Node ${nodeName} Not Found`);
      continue;
    }
    const endpoint = endpointOf(service, pod, node);
    if (endpoint.addresses.length > 0) group.wanted.set(identityOf(endpoint), endpoint);
  }
  return groups;
}

function endpointOf(service: Service, pod: Pod, node: Node | undefined): Endpoint {
  const { publishNotReadyAddresses, trafficDistribution = "" } = service.spec;
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(service, pod);
  const nodeName = pod.spec.nodeName || undefined;
  const zone = node?.metadata.labels?.[ZONE] || undefined;
  const onNode = NEAR.get(trafficDistribution);
  const hints = present({
    forZones: zone === undefined ? undefined : [{ name: zone }],
    forNodes: onNode && nodeName !== undefined ? [{ name: nodeName }] : undefined,
  });
  const hasHints = ready && onNode !== undefined && Object.keys(hints).length > 0;
  return {
    addresses: addressesOf(pod).sort(),
    conditions: { ready, serving, terminating },
    ...present({ hostname, nodeName, zone, hints: hasHints ? hints : undefined }),
    targetRef: referenceTo(pod),
  };
}

/**
 * Plans one group of ports: endpoints stay in their slices; new ones fill the fullest slice that
 * changes anyway. Other slices are updated where the hints of `trafficDistribution` differ.
 */
function planGroup(
  service: Service,
  existing: readonly EndpointSlice[],
  { ports, wanted: left }: Group,
  plan: SlicePlan,
): void {
  const update: EndpointSlice[] = [];
  /** Slices that may stay as they are, each with the endpoints that it has. */
  const unchanged = new Map<EndpointSlice, readonly Endpoint[]>();
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const endpoints = before.flatMap((endpoint) => {
      const found = left.get(identityOf(endpoint));
      left.delete(identityOf(endpoint));
      return found ?? [];
    });
    const metadata = { ...slice.metadata, labels: labelsOf(service) };
    const next = { ...slice, metadata, endpoints };
    if (!sameJson(before.map(withoutHints), endpoints.map(withoutHints))) {
      if (endpoints.length === 0) plan.remove.push(slice);
      else update.push(next);
    } else if (!hasSameLabels(slice, service)) update.push(next);
    else unchanged.set(next, before);
  }
  const fill = (slice: EndpointSlice): void => {
    const endpoints = (slice.endpoints ??= []);
    for (const [id, endpoint] of left) {
      if (endpoints.length >= SLICE_SIZE) return;
      endpoints.push(endpoint);
      left.delete(id);
    }
  };
  const fullestFirst = (slices: Iterable<EndpointSlice>): EndpointSlice[] =>
    [...slices].sort((one, other) => sizeOf(other) - sizeOf(one));
  for (const slice of fullestFirst(update)) fill(slice);
  while (left.size > 0) {
    const hasRoom = (slice: EndpointSlice): boolean =>
      left.size < SLICE_SIZE && sizeOf(slice) + left.size <= SLICE_SIZE;
    const roomy = fullestFirst(unchanged.keys()).find(hasRoom);
    const next = roomy ?? sliceOf(service, ports);
    fill(next);
    (roomy ? update : plan.create).push(next);
    if (roomy) unchanged.delete(roomy);
  }
  for (const [slice, before] of unchanged) {
    if (!sameJson(slice.endpoints, before)) update.push(slice);
  }
  plan.update.push(...update);
}

/** Turns a slice to create and one to delete into an update. */
function recycle(service: Service, { create, update, remove }: SlicePlan): void {
  for (const old of [...remove]) {
    const slice = create.at(-1);
    if (!slice) return;
    if (old.addressType !== slice.addressType || !isOwnedBy(old, service)) continue;
    create.pop();
    remove.splice(remove.indexOf(old), 1);
    const { name = "" } = old.metadata;
    update.push({ ...slice, metadata: { ...slice.metadata, name } });
  }
}

const sliceOf = (service: Service, ports: EndpointPort[]): EndpointSlice =>
  newSlice(service, labelsOf(service), { addressType: "IPv4", endpoints: [], ports });

const labelsOf = (service: Service): Record<string, string> => ({
  ...unreserved(service.metadata.labels),
  ...headlessLabel(service),
  ...sliceLabels(service.metadata.name ?? ""),
});

const unreserved = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !RESERVED.has(name)));

const hasSameLabels = (slice: EndpointSlice, service: Service): boolean =>
  sameJson(unreserved(slice.metadata.labels), unreserved(service.metadata.labels));

const isOwnedBy = ({ metadata }: EndpointSlice, service: Service): boolean =>
  metadata.ownerReferences?.some(
    ({ uid, kind, apiVersion }) =>
      uid === service.metadata.uid && kind === service.kind && apiVersion === service.apiVersion,
  ) === true;

const sizeOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0;

/** A text that is the same for equal ports in any order. */
const idOf = (ports: readonly EndpointPort[]): string =>
  canonicalJson(ports.map((port) => canonicalJson(port)).sort());

const identityOf = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  canonicalJson([addresses.toSorted(), hostname, targetRef?.namespace, targetRef?.name]);

const withoutHints = (endpoint: Endpoint): Endpoint => ({ ...endpoint, hints: {} });

const printed = ({ name = "", port, protocol = "", appProtocol = "<nil>" }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(*string)${name} Protocol:(*v1.Protocol)${protocol} Port:(*int32)${port} AppProtocol:(*string)${appProtocol}}`;
