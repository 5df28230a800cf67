/**
 * The conditions of a pod that its kubelet sets, with upstream's reasons and messages.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
 */
import { present } from "../../../../present.ts";
import type { ContainerStatus, Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../../builtin/shared/shapes.ts";
import { timed } from "../../framework/conditions.ts";
import { type RuntimeState, isSidecar } from "../runtime/runtime-state.ts";
import type { Phase } from "./pod-phase.ts";

/** The conditions that belong to the kubelet. */
const OWN: ReadonlySet<string> = new Set([
  "PodResizeInProgress",
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
]);

/** The facts that the conditions follow from. */
export interface PodFacts {
  readonly phase: Phase;
  readonly sandbox: RuntimeState["sandbox"];
  readonly isResizing: boolean;
  readonly initContainerStatuses: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
}

type Fact = Pick<Condition, "status" | "reason" | "message">;

export const isOwnCondition = ({ type }: Condition): boolean => OWN.has(type);

/** The conditions of the pod; those that others set stay as they are. */
export function podConditions(
  pod: Pod,
  before: readonly Condition[],
  facts: PodFacts,
  nowMs: number,
): Condition[] {
  const others = (pod.status?.conditions ?? []).filter((condition) => !isOwnCondition(condition));
  const own = [
    ...(facts.isResizing ? [["PodResizeInProgress", { status: "True" }] as const] : []),
    ["PodReadyToStartContainers", readyToStart(facts)],
    ["Initialized", initialized(pod, facts)],
    ["Ready", ready(pod, others, facts)],
    ["ContainersReady", containersReady(pod, facts)],
    ["PodScheduled", { status: "True" }],
  ] as const;
  return [...others, ...own.map(([type, fact]) => dated(pod, before, { type, ...fact }, nowMs))];
}

/** The conditions after the readiness of containers changed, or the sandbox became ready, and nothing else. */
export function withReadiness(
  pod: Pod,
  before: readonly Condition[],
  facts: Pick<PodFacts, "phase" | "initContainerStatuses" | "containerStatuses">,
  nowMs: number,
): Condition[] {
  return before.map((condition) => {
    const { type } = condition;
    if (type === "Ready") return dated(pod, before, { type, ...ready(pod, before, facts) }, nowMs);
    if (type !== "ContainersReady") return condition;
    return dated(pod, before, { type, ...containersReady(pod, facts) }, nowMs);
  });
}

/** The conditions once the sandbox is there. */
export function withSandbox(pod: Pod, before: readonly Condition[], nowMs: number): Condition[] {
  const type = "PodReadyToStartContainers";
  return before.map((condition) =>
    condition.type === type ? dated(pod, before, { type, status: "True" }, nowMs) : condition,
  );
}

function dated(
  { metadata: { generation } }: Pod,
  before: readonly Condition[],
  fact: Fact & { readonly type: string },
  nowMs: number,
): Condition {
  const more = { lastProbeTime: null, ...present({ observedGeneration: generation }) };
  return timed(before, { ...fact, ...more }, nowMs);
}

function readyToStart({ sandbox }: PodFacts): Fact {
  if (sandbox === "ready") return { status: "True" };
  const message = sandbox === "none" ? "no pod sandbox exists" : "pod sandbox is not ready";
  return { status: "False", reason: "PodSandboxNotReady", message };
}

type ContainerFacts = Pick<PodFacts, "phase" | "initContainerStatuses" | "containerStatuses">;

const listed = (names: readonly string[]): string => `[${names.join(" ")}]`;

const isReady = (statuses: readonly ContainerStatus[], name: string): boolean =>
  statuses.some((status) => status.name === name && status.ready);

function initialized({ spec }: Pod, facts: ContainerFacts): Fact {
  if (facts.phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const hasBegun = facts.containerStatuses.some(
    ({ state }) => state?.running !== undefined || state?.terminated !== undefined,
  );
  const incomplete = (spec.initContainers ?? []).filter((container) => {
    const status = facts.initContainerStatuses.find(({ name }) => name === container.name);
    return isSidecar(container) ? status?.started !== true : status?.ready !== true;
  });
  if (incomplete.length === 0 || hasBegun) return { status: "True" };
  const names = incomplete.map(({ name }) => name);
  return {
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: ${listed(names)}`,
  };
}

function containersReady({ spec }: Pod, facts: ContainerFacts): Fact {
  if (facts.phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (facts.phase === "Failed") return { status: "False", reason: "PodFailed" };
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const unready = [
    ...sidecars.filter(({ name }) => !isReady(facts.initContainerStatuses, name)),
    ...(spec.containers ?? []).filter(({ name }) => !isReady(facts.containerStatuses, name)),
  ].map(({ name }) => name);
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: ${listed(unready)}`,
  };
}

/** The condition Ready: others set readiness gates, and the pod is ready once they are all true. */
function ready(pod: Pod, conditions: readonly Condition[], facts: ContainerFacts): Fact {
  const containers = containersReady(pod, facts);
  if (containers.status !== "True") return containers;
  const closed = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = conditions.find(({ type }) => type === conditionType);
    const name = JSON.stringify(conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate ${name} does not exist.`];
    if (gate.status === "True") return [];
    return [`the status of pod readiness gate ${name} is not "True", but ${gate.status}`];
  });
  return closed.length === 0
    ? { status: "True" }
    : { status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") };
}
