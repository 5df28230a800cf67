/** Defaults of pods, and their changes by admission and by the strategies of the endpoints. */
import type { PriorityClass } from "../../scheduling/priority-class.ts";
import { PRIORITY_CLASSES, RUNTIME_CLASSES } from "../../../tokens.ts";
import { quote } from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import { pathSegmentErrors } from "../../../../../kube/names.ts";
import { failure } from "../../../../../kube/status.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { setPodSpecDefaults } from "../../../shared/pods/defaults.ts";
import { aggregateRequests, qosClassOf } from "../../../shared/pods/resources.ts";
import {
  type PodSpec,
  type PodTerm,
  type SpreadConstraint,
  containersOf,
} from "../../../shared/pods/pod-shapes.ts";
import type { ResourceList } from "../../../shared/shapes.ts";
import { SYSTEM_PRIORITIES } from "../../../shared/system-priorities.ts";
import { setLimitRangeRequirements } from "../limit-ranger.ts";
import { timeOf } from "../../../../../kube/values/times.ts";
import { takeServiceAccount } from "./service-account.ts";
import { podForbidden } from "./forbidden.ts";
import type { Pod, PodStatus } from "./shape.ts";

/**
 * Defaults of a Pod: those of its spec, and those that templates do not get, such as requests from
 * limits.
 */
export function setPodDefaults(object: Pod): void {
  const { spec, status } = object;
  if (status) settleAddresses(status);
  setPodSpecDefaults(spec);
  // Only for pods: templates keep the given value.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const { resources, ports = [] } of containersOf(spec)) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
    if (!spec.hostNetwork) continue;
    for (const port of ports) {
      if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
    }
  }
  setPodLevelRequests(spec);
  spec.enableServiceLinks ??= true;
}

/** Aligns the two fields with a pod's first address; the older one wins when they differ. */
function settleAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first !== undefined) status.podIP = first;
}

const POD_LEVEL = /^(cpu|memory|hugepages-.*)$/;

/** Sets the requests of a pod with limits of its own to those of its containers, or the limits. */
function setPodLevelRequests(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources?.limits) return;
  const requests: ResourceList = { ...resources.requests };
  for (const [name, amount] of Object.entries(aggregateRequests(spec))) {
    if (name === "cpu" || name === "memory") requests[name] ??= amount;
  }
  for (const [name, amount] of Object.entries(resources.limits)) {
    if (POD_LEVEL.test(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

/** Runs the admission plugins on a new pod; idempotent. @throws StatusError 403 */
export function admitPod(pod: Pod, context: WriteContext): void {
  const { plugins } = context;
  if (plugins.isOn("LimitRanger")) setLimitRangeRequirements(pod, context);
  if (plugins.isOn("ServiceAccount")) takeServiceAccount(pod, context);
  if (plugins.isOn("Priority")) resolvePriority(pod, context);
  if (plugins.isOn("DefaultTolerationSeconds")) addTolerations(pod.spec);
  if (plugins.isOn("RuntimeClass")) resolveRuntimeClass(pod, context);
}

/** Sets the first status of a new pod. */
export function preparePodForCreate(pod: Pod, context: WriteContext): void {
  matchLabelKeys(pod);
  pod.status = { phase: "Pending", qosClass: qosClassOf(pod.spec) };
  if (!pod.spec.schedulingGates?.length) return;
  const condition = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: timeOf(context.clock.now()),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  pod.status.conditions = [condition];
}

/** Restores fields that every pod has when an update leaves them out. */
export function preparePodForUpdate(object: Pod, previous: Pod, { plugins }: WriteContext): void {
  const { spec } = object;
  const { priority, preemptionPolicy } = previous.spec;
  if (plugins.isOn("Priority")) {
    if (priority !== undefined) spec.priority ??= priority;
    if (preemptionPolicy !== undefined) spec.preemptionPolicy ??= preemptionPolicy;
  }
  if (plugins.isOn("DefaultTolerationSeconds")) addTolerations(spec);
}

/** Keeps the QoS class of a pod unless the new status sets one. */
export function preparePodStatus({ status }: Pod, { status: old }: Pod): void {
  if (status && !status.qosClass && old?.qosClass) status.qosClass = old.qosClass;
}

/** The PriorityClass of that name; the system's own classes always exist. */
function findPriorityClass(name: string, context: WriteContext): PriorityClass | undefined {
  const found = context.find(PRIORITY_CLASSES, { name });
  if (found) return found;
  const value = SYSTEM_PRIORITIES.get(name);
  if (value === undefined) return undefined;
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value };
}

function resolvePriority(pod: Pod, context: WriteContext): void {
  const { spec } = pod;
  const { priorityClassName: name } = spec;
  const found = name
    ? findPriorityClass(name, context)
    : context.list(PRIORITY_CLASSES).find(({ globalDefault }) => globalDefault);
  if (name && !found) throw podForbidden(pod, `no PriorityClass with name ${name} was found`);
  if (!name && found) spec.priorityClassName = found.metadata.name ?? "";
  const computed = found?.value ?? 0;
  const policy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (spec.priority !== undefined && spec.priority !== computed) {
    throw podForbidden(
      pod,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw podForbidden(
      pod,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  spec.priority = computed;
  spec.preemptionPolicy = policy;
}

/**
 * Checks that the name of a class can be a path segment, since admission looks it up by path.
 * @throws StatusError 500
 */
function checkPathSegment(name: string): void {
  const problems = pathSegmentErrors(name);
  if (name === "") throw failure(500, "", "resource name may not be empty");
  if (problems.length > 0) {
    throw failure(500, "", `invalid resource name ${quote(name)}: [${problems.join(" ")}]`);
  }
}

function resolveRuntimeClass(pod: Pod, context: WriteContext): void {
  const { spec } = pod;
  const { runtimeClassName: name } = spec;
  const refusal = (why: string): Error => podForbidden(pod, `pod rejected: ${why}`);
  const runtime = name === undefined ? undefined : context.find(RUNTIME_CLASSES, { name });
  if (name !== undefined && !runtime) {
    checkPathSegment(name);
    throw refusal(`RuntimeClass "${name}" not found`);
  }
  const overhead = runtime?.overhead?.podFixed;
  if (spec.overhead && !overhead) {
    throw refusal("Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
  if (spec.overhead && !sameJson(spec.overhead, overhead)) {
    throw refusal("Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  if (overhead) spec.overhead = { ...overhead };
  const { nodeSelector = {}, tolerations = [] } = runtime?.scheduling ?? {};
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = (spec.nodeSelector ??= {});
    if ((own[key] ??= value) === value) continue;
    throw podForbidden(
      pod,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own[key]}`,
    );
  }
  for (const toleration of tolerations) {
    const known = (spec.tolerations ??= []);
    if (!known.some((other) => sameJson(other, toleration))) {
      known.push(structuredClone(toleration));
    }
  }
}

/**
 * Adds the values of a pod's own labels to the selectors with `matchLabelKeys` or
 * `mismatchLabelKeys`.
 */
function matchLabelKeys({ spec, metadata }: Pod): void {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ]);
  const selectors: (SpreadConstraint | PodTerm)[] = [
    ...terms,
    ...(spec.topologySpreadConstraints ?? []),
  ];
  for (const term of selectors) {
    const mismatching = "mismatchLabelKeys" in term ? term.mismatchLabelKeys : [];
    for (const [operator, keys] of [
      ["In", term.matchLabelKeys],
      ["NotIn", mismatching],
    ] as const) {
      for (const key of keys ?? []) {
        const value = metadata.labels?.[key];
        if (value === undefined || !term.labelSelector) continue;
        (term.labelSelector.matchExpressions ??= []).push({ key, operator, values: [value] });
      }
    }
  }
}

/** Lets pods stay for five minutes on a node that is not ready or unreachable. */
function addTolerations(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? [];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const tolerated = tolerations.some(
      (toleration) =>
        (!toleration.key || toleration.key === key) &&
        (!toleration.effect || toleration.effect === "NoExecute"),
    );
    if (!tolerated) {
      tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    }
  }
  spec.tolerations = tolerations;
}
