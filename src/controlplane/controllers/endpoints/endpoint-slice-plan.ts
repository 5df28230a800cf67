/**
 * The EndpointSlices that a Service needs; existing ones are kept as far as possible.
 *
 * Pure; the controller reads and writes.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
import type { Endpoint } from "../../../generated/k8s/discovery-v1.ts";
import type { ResourceName } from "../../resource-name.ts";
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import {
  type ResolvedPort,
  addressesOf,
  headlessLabel,
  hostnameOf,
  referenceTo,
  resolvePorts,
} from "./endpoint-ports.ts";
import { sortedByHash } from "../go-hash.ts";
import { controllerReference } from "../ownership.ts";
import { isReady } from "../pods/pods.ts";
import { canonicalJson } from "../template-hash.ts";
import { present } from "../../../present.ts";

const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGER = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";
const ZONE = "topology.kubernetes.io/zone";
const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
const SLICE_SIZE = 100;
/**
 * Values of `trafficDistribution` that prefer close endpoints, and whether those must be on the
 * same node.
 */
const NEAR: Readonly<Record<string, boolean>> = {
  PreferClose: false,
  PreferSameZone: false,
  PreferSameNode: true,
};

/** An EndpointSlice. */
export interface EndpointSlice extends SentObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: ResolvedPort[] | null;
}

export const ENDPOINT_SLICES: ResourceName<EndpointSlice> = {
  group: "discovery.k8s.io",
  plural: "endpointslices",
};

/** The slices to write. An updated slice has the metadata of the one that it replaces. */
export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
  /** Reasons why pods cannot be shown yet. */
  readonly problems: readonly string[];
}

interface Group {
  readonly ports: ResolvedPort[];
  readonly wanted: Map<string, Endpoint>;
}

/** The labels that select the slices of a Service. */
export const sliceLabels = (service: string): Record<string, string> => ({
  [SERVICE_NAME]: service,
  [MANAGED_BY]: MANAGER,
});

/** The name of the Service of a slice that this controller manages. */
export function serviceOf({ metadata }: SentObject): string | undefined {
  return metadata.labels?.[MANAGED_BY] === MANAGER ? metadata.labels[SERVICE_NAME] : undefined;
}

/** The changes from the existing slices to slices with `pods`. */
export function planSlices(
  service: Service,
  existing: readonly EndpointSlice[],
  pods: readonly Pod[],
  nodeNamed: (name: string) => Node | undefined,
): SlicePlan {
  const fits = (slice: EndpointSlice): boolean =>
    slice.addressType === "IPv4" && isOwnedBy(slice, service);
  const own = existing.filter(fits);
  const foreign = existing.filter((slice) => !fits(slice));
  const { groups, problems } = groupsOf(service, pods, nodeNamed);

  const plans = [...groups].map(([id, group]) =>
    planGroup(
      service,
      own.filter(({ ports }) => idOf(ports ?? []) === id),
      group,
    ),
  );
  const create = plans.flatMap((plan) => plan.create);
  const update = plans.flatMap((plan) => plan.update);
  const remove = [
    ...foreign,
    ...plans.flatMap((plan) => plan.remove),
    ...own.filter(({ ports }) => !groups.has(idOf(ports ?? []))),
  ];
  const ofFamily = existing.filter(({ addressType }) => addressType === "IPv4");
  const leaving = remove.filter(({ addressType }) => addressType === "IPv4");
  if (ofFamily.length === leaving.length && create.length === 0) {
    const placeholder = newSlice(service, []);
    const [only] = leaving;
    if (only && leaving.length === 1 && isPlaceholder(only, placeholder)) {
      remove.splice(remove.indexOf(only), 1);
    } else create.push(placeholder);
  }
  recycle(service, create, update, remove);
  return { ...withHints(service, existing, create, update, remove), remove, problems };
}

function groupsOf(
  service: Service,
  pods: readonly Pod[],
  nodeNamed: (name: string) => Node | undefined,
): { groups: Map<string, Group>; problems: string[] } {
  const groups = new Map<string, Group>();
  const problems: string[] = [];
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
  return { groups, problems };
}

function endpointOf(service: Service, pod: Pod, node: Node | undefined): Endpoint {
  const { nodeName = "" } = pod.spec;
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(service, pod);
  const zone = node?.metadata.labels?.[ZONE] ?? "";
  return {
    addresses: addressesOf(pod).sort(),
    conditions: { ready, serving, terminating },
    ...present({ hostname }),
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === "" ? {} : { zone }),
    targetRef: referenceTo(pod),
  };
}

/**
 * Plans one group of ports: endpoints stay in their slices; new ones fill the fullest slice that
 * changes anyway.
 */
function planGroup(
  service: Service,
  existing: readonly EndpointSlice[],
  { ports, wanted }: Group,
): Omit<SlicePlan, "problems"> {
  const left = new Map(wanted);
  const unchanged: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const remove: EndpointSlice[] = [];
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const kept = before.flatMap((endpoint) => {
      const id = identityOf(endpoint);
      const found = left.get(id);
      left.delete(id);
      return found ? [{ endpoint, found }] : [];
    });
    const endpoints = kept.map(({ found }) => found);
    const isChanged =
      kept.length !== before.length || kept.some(({ endpoint, found }) => !isSame(endpoint, found));
    const labels = labelsOf(service);
    const next = { ...slice, metadata: { ...slice.metadata, labels }, endpoints };
    if (isChanged && endpoints.length === 0) remove.push(slice);
    else if (isChanged) update.push(next);
    else if (!hasSameLabels(slice, service)) update.push({ ...next, endpoints: before });
    else unchanged.push(slice);
  }
  const fill = (slice: EndpointSlice): void => {
    const endpoints = (slice.endpoints ??= []);
    for (const [id, endpoint] of left) {
      if (endpoints.length >= SLICE_SIZE) return;
      endpoints.push(endpoint);
      left.delete(id);
    }
  };
  for (const slice of update.toSorted((one, other) => sizeOf(other) - sizeOf(one))) fill(slice);
  const create: EndpointSlice[] = [];
  while (left.size > 0) {
    const roomy = unchanged
      .filter((slice) => sizeOf(slice) + left.size <= SLICE_SIZE && left.size < SLICE_SIZE)
      .toSorted((one, other) => sizeOf(other) - sizeOf(one))[0];
    if (roomy) {
      unchanged.splice(unchanged.indexOf(roomy), 1);
      const next = { ...roomy, endpoints: [...(roomy.endpoints ?? [])] };
      fill(next);
      update.push(next);
    } else {
      const next = newSlice(service, ports);
      fill(next);
      create.push(next);
    }
  }
  return { create, update, remove };
}

/** Turns a slice to create and one to delete into an update. */
function recycle(
  service: Service,
  create: EndpointSlice[],
  update: EndpointSlice[],
  remove: EndpointSlice[],
): void {
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

/**
 * Adds the hints of `trafficDistribution` to slices, or removes hints; slices that are otherwise
 * unchanged are updated for them.
 */
function withHints(
  service: Service,
  existing: readonly EndpointSlice[],
  create: readonly EndpointSlice[],
  update: readonly EndpointSlice[],
  remove: readonly EndpointSlice[],
): Pick<SlicePlan, "create" | "update"> {
  const onNode = NEAR[service.spec.trafficDistribution ?? ""];
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => {
      const { hints, ...rest } = endpoint;
      if (onNode === undefined) return rest;
      if (endpoint.conditions?.ready !== true) return hints ? { ...rest, hints } : rest;
      const { zone, nodeName } = endpoint;
      const next = {
        ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
        ...(onNode && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {}),
      };
      return Object.keys(next).length > 0 ? { ...rest, hints: next } : rest;
    }),
  });
  const named = (slices: readonly EndpointSlice[]): Set<string | undefined> =>
    new Set(slices.map(({ metadata }) => metadata.name));
  const touched = new Set([...named(update), ...named(remove)]);
  const stale = existing.filter(
    (slice) =>
      !touched.has(slice.metadata.name) &&
      !sameJson(hinted(slice).endpoints, slice.endpoints ?? []),
  );
  return { create: create.map(hinted), update: [...update, ...stale].map(hinted) };
}

function newSlice(service: Service, ports: ResolvedPort[]): EndpointSlice {
  const { name = "", namespace = "" } = service.metadata;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(service),
      ownerReferences: [controllerReference(service)],
    },
    addressType: "IPv4",
    endpoints: [],
    ports,
  };
}

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

const isPlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  sizeOf(slice) === 0 &&
  (slice.ports ?? []).length === 0 &&
  canonicalJson(slice.metadata.labels ?? {}) === canonicalJson(placeholder.metadata.labels ?? {});

const sizeOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0;

/** A text that is the same for equal ports in any order. */
const idOf = (ports: readonly ResolvedPort[]): string =>
  canonicalJson(ports.map((port) => canonicalJson(port)).sort());

const identityOf = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  canonicalJson([addresses.toSorted(), hostname, targetRef?.namespace, targetRef?.name]);

/** Whether two endpoints with the same identity are equal, apart from hints. */
const isSame = (one: Endpoint, other: Endpoint): boolean =>
  canonicalJson({ ...one, hints: null }) === canonicalJson({ ...other, hints: null });

const printed = ({ name, port, protocol, appProtocol = "<nil>" }: ResolvedPort): string =>
  `(v1.EndpointPort){Name:(*string)${name} Protocol:(*v1.Protocol)${protocol} Port:(*int32)${port} AppProtocol:(*string)${appProtocol}}`;
