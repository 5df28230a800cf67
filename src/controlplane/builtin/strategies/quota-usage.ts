/**
 * What an object uses of a ResourceQuota, and which quotas it concerns.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 * @module
 */
import type { KubeObject } from "../../../kube/object.ts";
import { addQuantities, formatQuantity, parseQuantity } from "../../../kube/quantity.ts";
import { aggregateLimits, aggregateRequests, qosClassOf } from "./pod-resources.ts";
import type { Pod } from "./pod-shapes.ts";
import type { PersistentVolumeClaim, ResourceList, Service } from "./shapes.ts";

interface ScopeExpression {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** A ResourceQuota. */
export interface ResourceQuota extends KubeObject {
  spec?: {
    hard?: ResourceList;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeExpression[] };
  };
  status?: { hard?: ResourceList; used?: ResourceList };
}

/** The core kinds that a quota can count by their bare names. */
const COUNTED = ["configmaps", "secrets", "services", "replicationcontrollers", "resourcequotas"];
const NODE_LOCAL = ["cpu", "memory", "ephemeral-storage"];
const BEST_EFFORT = "BestEffort";

/** The objects that a quota counts beside those of `count/...` and of pods, claims and services. */
export const COUNTED_KINDS: readonly string[] = COUNTED;

/** What one object uses, by the names that quotas have for it. */
export function usageOf(group: string, plural: string, object: KubeObject): ResourceList {
  const used: ResourceList = { [`count/${plural}${group === "" ? "" : `.${group}`}`]: "1" };
  if (group !== "") return used;
  if (COUNTED.includes(plural)) used[plural] = "1";
  if (plural === "pods") Object.assign(used, podUsage(object as Pod));
  if (plural === "persistentvolumeclaims") {
    Object.assign(used, claimUsage(object as PersistentVolumeClaim));
  }
  if (plural === "services") Object.assign(used, serviceUsage(object as Service));
  return used;
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
    const suffix = `${named}.storageclass.storage.k8s.io`;
    used[`${suffix}/persistentvolumeclaims`] = "1";
    if (storage !== undefined) used[`${suffix}/requests.storage`] = storage;
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

/** Whether the scopes of a quota let it see the object. */
export function isInScope(quota: ResourceQuota, plural: string, object: KubeObject): boolean {
  const { scopes = [], scopeSelector } = quota.spec ?? {};
  const expressions: ScopeExpression[] = [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
  if (expressions.length === 0) return true;
  if (plural !== "pods") return false;
  return expressions.every((expression) => matchesScope(expression, object as Pod));
}

function matchesScope({ scopeName, operator, values = [] }: ScopeExpression, pod: Pod): boolean {
  const { spec } = pod;
  switch (scopeName) {
    case "Terminating":
      return (spec.activeDeadlineSeconds ?? -1) >= 0;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case BEST_EFFORT:
      return qosClassOf(spec) === BEST_EFFORT;
    case "NotBestEffort":
      return qosClassOf(spec) !== BEST_EFFORT;
    case "PriorityClass": {
      const name = spec.priorityClassName ?? "";
      if (operator === "Exists") return name !== "";
      if (operator === "DoesNotExist") return name === "";
      return values.includes(name) === (operator === "In");
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
