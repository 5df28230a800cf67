/**
 * The conditions of a pod that its kubelet sets, with upstream's reasons and messages.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
 */
import type { ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { present } from "../../../present.ts";

/** The facts that the conditions follow from. */
export interface PodFacts {
  readonly phase: string;
  /** Whether its volumes are mounted and its network is set up. */
  readonly isMounted: boolean;
  readonly initContainerStatuses: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
  readonly nowMs: number;
}

type Fact = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The conditions of the pod by now; those that others set stay as they are. */
export function podConditions(pod: Pod, facts: PodFacts): Condition[] {
  const before = pod.status?.conditions ?? [];
  const own: readonly Fact[] = [
    {
      type: "PodReadyToStartContainers",
      status: facts.isMounted && !isOver(facts.phase) ? "True" : "False",
    },
    { type: "Initialized", ...initialized(pod, facts) },
    { type: "Ready", ...ready(pod, facts) },
    { type: "ContainersReady", ...containersReady(pod, facts) },
    { type: "PodScheduled", status: "True" },
  ];
  const names = new Set(own.map(({ type }) => type));
  const { generation } = pod.metadata;
  return [
    ...before.filter(({ type }) => !names.has(type)),
    ...own.map((fact) => {
      const known = before.find(({ type }) => type === fact.type);
      const since = known?.status === fact.status ? known.lastTransitionTime : undefined;
      return {
        ...fact,
        lastProbeTime: null,
        lastTransitionTime: since ?? timeOf(facts.nowMs),
        ...present({ observedGeneration: generation }),
      };
    }),
  ];
}

const isOver = (phase: string): boolean => phase === "Succeeded" || phase === "Failed";
const reasonOfEnd = (phase: string): string =>
  phase === "Succeeded" ? "PodCompleted" : "PodFailed";

function initialized(pod: Pod, facts: PodFacts): Omit<Fact, "type"> {
  if (isOver(facts.phase)) return { status: "True", reason: reasonOfEnd(facts.phase) };
  const isRestartable = (name: string): boolean =>
    pod.spec.initContainers?.find((one) => one.name === name)?.restartPolicy === "Always";
  const incomplete = facts.initContainerStatuses
    .filter(({ name, started, ready: isReady }) => !(isRestartable(name) ? started : isReady))
    .map(({ name }) => name);
  const hasBegun = facts.containerStatuses.some(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  if (incomplete.length === 0 || hasBegun) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${incomplete.join(" ")}]`,
  };
}

function containersReady(pod: Pod, facts: PodFacts): Omit<Fact, "type"> {
  if (isOver(facts.phase)) return { status: "False", reason: reasonOfEnd(facts.phase) };
  const sidecars = new Set(
    (pod.spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const unready = [
    ...facts.initContainerStatuses.filter(({ name }) => sidecars.has(name)),
    ...facts.containerStatuses,
  ]
    .filter(({ ready: isReady }) => !isReady)
    .map(({ name }) => name);
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${unready.join(" ")}]`,
  };
}

/** The condition Ready: others set readiness gates, and the pod is ready once they are all true. */
function ready(pod: Pod, facts: PodFacts): Omit<Fact, "type"> {
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
