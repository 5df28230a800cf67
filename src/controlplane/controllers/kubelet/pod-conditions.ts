/**
 * The conditions of a pod that its kubelet sets, with upstream's reasons and messages.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
 */
import { present } from "../../../present.ts";
import type { ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { timed } from "../framework/conditions.ts";
import { begunState } from "./container-step.ts";

/** The facts that the conditions follow from. */
export interface PodFacts {
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed";
  /** Whether its volumes are mounted and its network is set up. */
  readonly isMounted: boolean;
  readonly initContainerStatuses: ContainerStatus[];
  readonly containerStatuses: ContainerStatus[];
  readonly nowMs: number;
}

type Fact = Pick<Condition, "status" | "reason" | "message">;

/** The conditions of the pod by now; those that others set stay as they are. */
export function podConditions(pod: Pod, facts: PodFacts): Condition[] {
  const before = pod.status?.conditions ?? [];
  const isReachable = facts.isMounted && reasonOfEnd(facts) === undefined;
  const own: Readonly<Record<string, Fact>> = {
    PodReadyToStartContainers: { status: isReachable ? "True" : "False" },
    Initialized: initialized(pod, facts),
    Ready: ready(pod, facts),
    ContainersReady: containersReady(pod, facts),
    PodScheduled: { status: "True" },
  };
  const more = { lastProbeTime: null, ...present({ observedGeneration: pod.metadata.generation }) };
  return [
    ...before.filter(({ type }) => !Object.hasOwn(own, type)),
    ...Object.entries(own).map(([type, fact]) =>
      timed(before, { type, ...fact, ...more }, facts.nowMs),
    ),
  ];
}

/** The reason of the conditions of a pod that is over; `undefined` of others. */
function reasonOfEnd({ phase }: PodFacts): string | undefined {
  if (phase === "Succeeded") return "PodCompleted";
  return phase === "Failed" ? "PodFailed" : undefined;
}

const isSidecar = (pod: Pod, { name }: ContainerStatus): boolean =>
  pod.spec.initContainers?.find((one) => one.name === name)?.restartPolicy === "Always";

const listed = (statuses: readonly ContainerStatus[]): string =>
  `[${statuses.map(({ name }) => name).join(" ")}]`;

function initialized(pod: Pod, facts: PodFacts): Fact {
  const reason = reasonOfEnd(facts);
  if (reason !== undefined) return { status: "True", reason };
  const incomplete = facts.initContainerStatuses.filter(
    (status) => !(isSidecar(pod, status) ? status.started : status.ready),
  );
  if (incomplete.length === 0 || facts.containerStatuses.some(begunState))
    return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: ${listed(incomplete)}`,
  };
}

function containersReady(pod: Pod, facts: PodFacts): Fact {
  const reason = reasonOfEnd(facts);
  if (reason !== undefined) return { status: "False", reason };
  const unready = [
    ...facts.initContainerStatuses.filter((status) => isSidecar(pod, status)),
    ...facts.containerStatuses,
  ].filter((status) => !status.ready);
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: ${listed(unready)}`,
  };
}

/** The condition Ready: others set readiness gates, and the pod is ready once they are all true. */
function ready(pod: Pod, facts: PodFacts): Fact {
  const containers = containersReady(pod, facts);
  if (containers.status !== "True") return containers;
  const closed = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = pod.status?.conditions?.find(({ type }) => type === conditionType);
    const name = JSON.stringify(conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate ${name} does not exist.`];
    if (gate.status === "True") return [];
    return [`the status of pod readiness gate ${name} is not "True", but ${gate.status}`];
  });
  return closed.length === 0
    ? { status: "True" }
    : { status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") };
}
