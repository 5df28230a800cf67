/**
 * The usage of an object in terms of a ResourceQuota, and the quotas that it concerns.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
import type { SentObject } from "../../../kube/object.ts";
import { asKind, type ResourceName } from "../../resource-name.ts";
import { CLAIMS, PODS, RESOURCE_CLAIMS, SERVICES } from "../tokens.ts";
import { addQuantities, formatQuantity, parseQuantity } from "../../../kube/values/quantity.ts";
import { aggregateLimits, aggregateRequests, qosClassOf } from "../shared/pods/resources.ts";
import type { Pod } from "../kinds/core/pod/shape.ts";
import type { Service } from "../kinds/core/service/shape.ts";
import type {
  PersistentVolumeClaim,
  ResourceClaim,
  ResourceList,
  ResourceQuota,
  ScopeExpression,
} from "../shared/shapes.ts";

/** The core kinds that a quota can count by their bare names. */
const COUNTED = ["configmaps", "secrets", "services", "replicationcontrollers", "resourcequotas"];
const NODE_LOCAL = ["cpu", "memory", "ephemeral-storage"];
const BEST_EFFORT = "BestEffort";
const OF_PODS = new Set([
  "pods",
  ...NODE_LOCAL.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const OF_CLAIMS = ["persistentvolumeclaims", "requests.storage"];
const OF_SERVICES = new Set(["services", "services.nodeports", "services.loadbalancers"]);
const STORAGE_CLASS = ".storageclass.storage.k8s.io";
const DEVICES = ".deviceclass.resource.k8s.io/devices";
/**
 * The number of devices that a request for all of them counts as, the most that a claim may get.
 */
const ALL_DEVICES = 32;

const countName = (group: string, plural: string): string =>
  `count/${plural}${group === "" ? "" : `.${group}`}`;

const isDeviceClaim = (group: string, plural: string): boolean =>
  group === "resource.k8s.io" && plural === "resourceclaims";

/** Whether the resource name of a quota measures objects of the resource. */
export function measures(name: string, group: string, plural: string): boolean {
  if (name === countName(group, plural)) return true;
  if (isDeviceClaim(group, plural)) return name.endsWith(DEVICES);
  if (group !== "") return false;
  switch (plural) {
    case "pods":
      return OF_PODS.has(name) || /^(requests\.)?hugepages-/.test(name) || isExtended(name);
    case "persistentvolumeclaims":
      return OF_CLAIMS.some((one) => name === one || name.endsWith(`${STORAGE_CLASS}/${one}`));
    case "services":
      return OF_SERVICES.has(name);
    default:
      return name === plural && COUNTED.includes(plural);
  }
}

/** Whether the name is that of requests for an extended resource. */
const isExtended = (name: string): boolean =>
  name.startsWith("requests.") && name.includes("/") && !name.includes("kubernetes.io/");

/** The usage of one object, by the resource names of quotas. */
export function usageOf(resource: ResourceName, object: SentObject): ResourceList {
  const { group, plural } = resource;
  const [deviceClaim, pod, claim, service] = [
    asKind(RESOURCE_CLAIMS, resource, object),
    asKind(PODS, resource, object),
    asKind(CLAIMS, resource, object),
    asKind(SERVICES, resource, object),
  ];
  return {
    [countName(group, plural)]: "1",
    ...(group === "" && COUNTED.includes(plural) && { [plural]: "1" }),
    ...(deviceClaim && deviceUsage(deviceClaim)),
    ...(pod && podUsage(pod)),
    ...(claim && claimUsage(claim)),
    ...(service && serviceUsage(service)),
  };
}

/** The devices of each class; for alternatives, the largest number that any requests. */
function deviceUsage({ spec }: ResourceClaim): ResourceList {
  const total = new Map<string, number>();
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    const most = new Map<string, number>();
    for (const request of exactly ? [exactly] : firstAvailable) {
      const { deviceClassName: name = "", allocationMode: mode, count = 1 } = request;
      const wanted = mode === "All" ? ALL_DEVICES : mode === "ExactCount" ? count : 0;
      most.set(name, Math.max(most.get(name) ?? 0, wanted));
    }
    for (const [name, count] of most) total.set(name, (total.get(name) ?? 0) + count);
  }
  return Object.fromEntries(
    [...total].map(([name, count]) => [`${name}${DEVICES}`, String(count)]),
  );
}

function podUsage({ spec, status }: Pod): ResourceList {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return {};
  const used: ResourceList = { pods: "1" };
  const requests = { ...aggregateRequests(spec), ...spec.resources?.requests };
  for (const [name, amount] of Object.entries(requests)) {
    used[`requests.${name}`] = amount;
    if (NODE_LOCAL.includes(name) || name.startsWith("hugepages-")) used[name] = amount;
  }
  const limits = { ...aggregateLimits(spec), ...spec.resources?.limits };
  for (const [name, amount] of Object.entries(limits)) {
    if (NODE_LOCAL.includes(name)) used[`limits.${name}`] = amount;
  }
  return used;
}

function claimUsage({ spec, metadata }: PersistentVolumeClaim): ResourceList {
  const used: ResourceList = { persistentvolumeclaims: "1" };
  const storage = spec.resources?.requests?.["storage"];
  if (storage !== undefined) used["requests.storage"] = storage;
  const named =
    metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec.storageClassName;
  if (named) {
    used[`${named}${STORAGE_CLASS}/persistentvolumeclaims`] = "1";
    if (storage !== undefined) used[`${named}${STORAGE_CLASS}/requests.storage`] = storage;
  }
  return used;
}

function serviceUsage({ spec }: Service): ResourceList {
  const ports = spec.ports ?? [];
  const isBalancer = spec.type === "LoadBalancer";
  const allocated = ports.filter(({ nodePort }) => nodePort).length;
  const nodePorts =
    spec.type === "NodePort" || (isBalancer && spec.allocateLoadBalancerNodePorts !== false)
      ? ports.length
      : isBalancer
        ? allocated
        : 0;
  return {
    services: "1",
    "services.loadbalancers": isBalancer ? "1" : "0",
    "services.nodeports": String(nodePorts),
  };
}

export function isInScope(
  quota: ResourceQuota,
  resource: ResourceName,
  object: SentObject,
): boolean {
  const { scopes = [], scopeSelector } = quota.spec ?? {};
  const expressions: ScopeExpression[] = [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
  if (expressions.length === 0) return true;
  const claim = asKind(CLAIMS, resource, object);
  if (claim) {
    const names = attributesClassesOf(claim);
    return expressions.every(
      (one) => one.scopeName === "VolumeAttributesClass" && matchesNames(one, names),
    );
  }
  const pod = asKind(PODS, resource, object);
  return pod !== undefined && expressions.every((expression) => matchesScope(expression, pod));
}

/** The attributes classes of a claim: the requested, the current and the target one. */
function attributesClassesOf({ spec, status }: PersistentVolumeClaim): string[] {
  return [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].flatMap((name) => (name ? [name] : []));
}

/** Whether one of the names satisfies the expression, or the absence of names does. */
function matchesNames(
  { operator, values = [] }: ScopeExpression,
  names: readonly string[],
): boolean {
  switch (operator) {
    case "Exists":
      return names.length > 0;
    case "DoesNotExist":
      return names.length === 0;
    case "In":
      return names.some((name) => values.includes(name));
    default:
      return names.length === 0 || names.some((name) => !values.includes(name));
  }
}

/** Whether a pod has a deadline, by which the scopes `Terminating` and `NotTerminating` differ. */
export const hasDeadline = ({ spec }: Pod): boolean => spec.activeDeadlineSeconds !== undefined;

function matchesScope(expression: ScopeExpression, pod: Pod): boolean {
  const { spec } = pod;
  switch (expression.scopeName) {
    case "Terminating":
      return (spec.activeDeadlineSeconds ?? -1) >= 0;
    case "NotTerminating":
      return !hasDeadline(pod);
    case BEST_EFFORT:
      return qosClassOf(spec) === BEST_EFFORT;
    case "NotBestEffort":
      return qosClassOf(spec) !== BEST_EFFORT;
    case "PriorityClass": {
      const name = spec.priorityClassName ?? "";
      return matchesNames(expression, name === "" ? [] : [name]);
    }
    case "CrossNamespacePodAffinity":
      return reachesOut(pod);
    default:
      return false;
  }
}

function reachesOut({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector,
  );
}

/** The amounts of `left` and `right` together, for the names of `left`. */
export function addUsage(left: ResourceList, right: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(left).map(([name, amount]) => [
      name,
      right[name] === undefined
        ? amount
        : formatQuantity(addQuantities(parseQuantity(amount), parseQuantity(right[name]))),
    ]),
  );
}
