/** Defaults of pods, and their changes by admission and by the strategies of the endpoints. */
import type { PriorityClass } from "../../scheduling/priority-class.ts";
import { PRIORITY_CLASSES, RUNTIME_CLASSES } from "../../../tokens.ts";
import { quote } from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import { pathSegmentErrors } from "../../../../../kube/names.ts";
import { failure } from "../../../../../kube/status.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { setPodSpecDefaults } from "../../../shared/pods/defaults.ts";
import { aggregateRequests } from "../../../shared/pods/resources.ts";
import type { PodSpec, PodTerm, SpreadConstraint } from "../../../shared/pods/shapes.ts";
import type { Condition, ResourceList, ResourceRequirements } from "../../../shared/shapes.ts";
import { SYSTEM_PRIORITIES } from "../../../shared/system-priorities.ts";
import { setLimitRangeRequirements } from "../../../strategies/limit-ranger.ts";
import { timeOf } from "../../../../../kube/values/times.ts";
import { qosClassOf } from "./resources.ts";
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
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    requestsFromLimits(container);
  }
  setPodLevelRequests(spec);
  spec.enableServiceLinks ??= true;
  if (!spec.hostNetwork) return;
  for (const { ports = [] } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of ports) {
      if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
    }
  }
}

/** Aligns the two fields with a pod's first address; the older one wins when they differ. */
function settleAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first !== undefined) status.podIP = first;
}

function requestsFromLimits(container: { resources?: ResourceRequirements }): void {
  const { limits } = container.resources ?? {};
  if (!limits || !container.resources) return;
  container.resources.requests = { ...limits, ...container.resources.requests };
}

const POD_LEVEL = /^(cpu|memory|hugepages-.*)$/;

/** Sets the requests of a pod with limits of its own to those of its containers, or the limits. */
function setPodLevelRequests(spec: PodSpec): void {
  const { limits } = spec.resources ?? {};
  if (!limits || !spec.resources) return;
  const requests: ResourceList = { ...spec.resources.requests };
  for (const [name, amount] of Object.entries(aggregateRequests(spec))) {
    if (name === "cpu" || name === "memory") requests[name] ??= amount;
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (POD_LEVEL.test(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) spec.resources.requests = requests;
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
  const gates = pod.spec.schedulingGates ?? [];
  if (gates.length > 0) {
    pod.status.conditions = [waitingCondition(context)];
  }
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
export function preparePodStatus(object: Pod, previous: Pod): void {
  const { status } = object;
  const { status: old } = previous;
  if (!status) return;
  if (!status.qosClass && old?.qosClass) status.qosClass = old.qosClass;
}

/** The condition of a pod with scheduling gates, which is not scheduled. */
function waitingCondition(context: WriteContext): Condition {
  return {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: timeOf(context.clock.now()),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
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
  let computed = 0;
  let policy = "PreemptLowerPriority";
  if (spec.priorityClassName) {
    const named = findPriorityClass(spec.priorityClassName, context);
    if (!named) {
      throw podForbidden(pod, `no PriorityClass with name ${spec.priorityClassName} was found`);
    }
    computed = named.value ?? 0;
    policy = named.preemptionPolicy ?? policy;
  } else {
    const standard = context.list(PRIORITY_CLASSES).find(({ globalDefault }) => globalDefault);
    if (standard) {
      spec.priorityClassName = standard.metadata.name ?? "";
      computed = standard.value ?? 0;
      policy = standard.preemptionPolicy ?? policy;
    }
  }
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
  if (spec.runtimeClassName === undefined) {
    if (spec.overhead) {
      throw podForbidden(
        pod,
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
      );
    }
    return;
  }
  const runtime = context.find(RUNTIME_CLASSES, { name: spec.runtimeClassName });
  if (!runtime) {
    checkPathSegment(spec.runtimeClassName);
    throw podForbidden(pod, `pod rejected: RuntimeClass "${spec.runtimeClassName}" not found`);
  }
  const overhead = runtime.overhead?.podFixed;
  if (overhead) {
    if (spec.overhead && !sameJson(spec.overhead, overhead)) {
      throw podForbidden(
        pod,
        "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
      );
    }
    spec.overhead = { ...overhead };
  } else if (spec.overhead) {
    throw podForbidden(
      pod,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  }
  const { nodeSelector, tolerations = [] } = runtime.scheduling ?? {};
  if (nodeSelector) {
    for (const [key, value] of Object.entries(nodeSelector)) {
      if (spec.nodeSelector?.[key] !== undefined && spec.nodeSelector[key] !== value) {
        throw podForbidden(
          pod,
          `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${spec.nodeSelector[key] ?? ""}`,
        );
      }
    }
    spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
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
