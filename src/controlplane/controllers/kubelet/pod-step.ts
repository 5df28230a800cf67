/**
 * The life of a pod on its node: its containers one after the other, its phase, its conditions.
 *
 * Pure: its new status follows from its last one and the time.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */
import { msOf, timeOf } from "../../../kube/values/times.ts";
import type { ContainerStatus, Pod, PodStatus } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/pod-shapes.ts";
import {
  type Note,
  type Step,
  begunState,
  earliest,
  nextStep,
  stopped,
  waitingStatus,
} from "./container-step.ts";
import { type PodFacts, podConditions } from "./pod-conditions.ts";
import { type ContainerRole, type Simulation, programOf } from "./simulation.ts";

/** The kubelet's inputs about a pod beside its object. */
export interface PodSurroundings {
  readonly simulation: Simulation;
  readonly nowMs: number;
  readonly isMounted: boolean;
  environmentProblem(container: Container): string | undefined;
  /** The last result of the probe of a container's process; `undefined` without a probe. */
  probed(container: Container): boolean | undefined;
  /** The pod's address, and its node's. */
  readonly podAddress: string;
  readonly hostAddress: string;
}

type Containers = Pick<PodFacts, "initContainerStatuses" | "containerStatuses">;

/** What comes of the containers of a pod: their statuses, and the pod's phase. */
interface Visit extends Containers, Pick<PodFacts, "phase"> {
  readonly notes: readonly Note[];
  readonly wakesAtMs: readonly number[];
}

/** The status of a pod by now. */
export function nextPodStep(pod: Pod, around: PodSurroundings): Step<PodStatus> {
  const { nowMs, isMounted, hostAddress } = around;
  const startTime = pod.status?.startTime ?? timeOf(nowMs);
  const deadlineMs = msOf(startTime) + 1000 * (pod.spec.activeDeadlineSeconds ?? Infinity);
  const isExceeded = nowMs >= deadlineMs;
  const { notes, wakesAtMs, ...visited } = visit(pod, around);
  const phase = isExceeded ? "Failed" : visited.phase;
  const isOver = phase === "Succeeded" || phase === "Failed";
  const containers = isOver ? ended(visited, isExceeded ? 137 : 0, nowMs) : visited;
  const podIP = pod.spec.hostNetwork ? hostAddress : around.podAddress;
  const message = "Pod was active on the node longer than the specified deadline";
  const status: PodStatus = {
    ...statusOf(pod, { ...containers, phase, isMounted, nowMs }),
    ...(isExceeded ? { reason: "DeadlineExceeded", message } : {}),
    observedGeneration: pod.metadata.generation ?? 0,
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(isMounted ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    startTime,
  };
  const wakes = [...wakesAtMs, deadlineMs].filter((ms) => ms > nowMs && Number.isFinite(ms));
  return { status, notes, ...earliest(wakes) };
}

/** The status of a deleted pod whose containers were told to end, and did: it failed where none had started. */
export function endedPodStatus(pod: Pod, nowMs: number): PodStatus {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const containers = ended({ initContainerStatuses, containerStatuses }, 0, nowMs);
  const phase = phaseOf(containers.containerStatuses) === "Succeeded" ? "Succeeded" : "Failed";
  return statusOf(pod, { ...containers, phase, isMounted: true, nowMs });
}

/** Visits the containers of a pod in the order of their starts. */
function visit(pod: Pod, around: PodSurroundings): Visit {
  const { simulation, nowMs } = around;
  const notes: Note[] = [];
  const wakesAtMs: number[] = [];
  const { initContainers = [], containers } = pod.spec;
  const wait = (container: Container): ContainerStatus =>
    waitingStatus(container, initContainers.length > 0 ? "PodInitializing" : "ContainerCreating");
  const step = (
    container: Container,
    role: ContainerRole,
    known: readonly ContainerStatus[] = [],
  ): ContainerStatus => {
    const program = programOf(pod, container, role, simulation);
    const configProblem = (): string | undefined => around.environmentProblem(container);
    const run = { pod, container, program, configProblem, nowMs };
    const before = known.find(({ name }) => name === container.name);
    let next = nextStep(before, run);
    notes.push(...next.notes);
    // The end of an init container is reported with its start: no reader needs the states between.
    if (role === "init" && next.status.state?.running) {
      next = nextStep(next.status, run);
      notes.push(...next.notes);
    }
    const { status, wakeAtMs } = next;
    if (wakeAtMs !== undefined) wakesAtMs.push(wakeAtMs);
    const isProbed = around.probed(container);
    return isProbed === undefined || !status.state?.running
      ? status
      : { ...status, ready: isProbed && status.started === true };
  };
  // Without its volumes no container of the pod starts.
  let isBlocked = !around.isMounted;
  let hasFailed = false;
  const initContainerStatuses: ContainerStatus[] = [];
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    const role = isSidecar ? "sidecar" : "init";
    const status = isBlocked
      ? wait(container)
      : step(container, role, pod.status?.initContainerStatuses);
    const exitCode = status.state?.terminated?.exitCode;
    isBlocked ||= isSidecar ? status.started !== true : exitCode !== 0;
    hasFailed ||= isBlocked && exitCode !== undefined;
    initContainerStatuses.push(
      isSidecar ? status : { ...status, ready: exitCode === 0, started: false },
    );
  }
  const containerStatuses = (containers ?? []).map((container) =>
    isBlocked ? wait(container) : step(container, "main", pod.status?.containerStatuses),
  );
  const phase = hasFailed ? "Failed" : phaseOf(containerStatuses);
  return { phase, initContainerStatuses, containerStatuses, notes, wakesAtMs };
}

function phaseOf(statuses: readonly ContainerStatus[]): PodFacts["phase"] {
  const codes = statuses.map(({ state }) => state?.terminated?.exitCode);
  if (codes.length > 0 && !codes.includes(undefined)) {
    return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
  }
  return statuses.some(begunState) ? "Running" : "Pending";
}

/** Stops running containers: the sidecars of a finished pod, all containers of one past its deadline or deleted. */
function ended(containers: Containers, exitCode: number, nowMs: number): Containers {
  const end = (status: ContainerStatus): ContainerStatus => stopped(status, exitCode, nowMs);
  return {
    initContainerStatuses: containers.initContainerStatuses.map(end),
    containerStatuses: containers.containerStatuses.map(end),
  };
}

/** The status of a pod, as far as it follows from its containers. */
function statusOf(pod: Pod, facts: PodFacts): PodStatus {
  const { phase, initContainerStatuses, containerStatuses } = facts;
  return {
    ...pod.status,
    phase,
    conditions: podConditions(pod, facts),
    ...(initContainerStatuses.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
  };
}
