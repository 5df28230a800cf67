/**
 * The life of a pod on its node: its containers one after the other, its phase, its conditions.
 *
 * Pure: its new status follows from its last one and the time.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */
import type { ContainerStatus, Pod, PodStatus } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/shapes.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { type ContainerRun, nextStep, type Note } from "./container-step.ts";
import { terminatedState, waitingStatus } from "./container-statuses.ts";
import { podConditions } from "./pod-conditions.ts";
import { type ContainerRole, programOf } from "./programs.ts";
import type { Simulation } from "./simulation.ts";
import { present } from "../../../present.ts";

/** The kubelet's inputs about a pod beside its object. */
export interface PodSurroundings {
  readonly simulation: Simulation;
  readonly nowMs: number;
  readonly isMounted: boolean;
  /** The reason why a container cannot start. */
  environmentProblem(container: Container): string | undefined;
  /** The last result of the probe of a container's process; `undefined` without a probe. */
  probed(container: Container): boolean | undefined;
  /** The pod's address, and its node's. */
  readonly podAddress: string;
  readonly hostAddress: string;
}

/** The next status of a pod. */
export interface PodStep {
  readonly status: PodStatus;
  readonly notes: readonly Note[];
  /** When the status changes by time alone, in milliseconds. */
  readonly wakeAtMs?: number;
}

/** The status of a pod by now. */
export function nextPodStep(pod: Pod, around: PodSurroundings): PodStep {
  const { nowMs } = around;
  const startTime = pod.status?.startTime ?? timeOf(nowMs);
  const deadlineMs =
    msOf(startTime) + 1000 * (pod.spec.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY);
  const walk = new ContainerWalk(pod, around);
  if (around.isMounted) walk.run();
  else walk.wait();
  const isExceeded = nowMs >= deadlineMs;
  const phase = isExceeded ? "Failed" : walk.phase();
  if (isExceeded || phase === "Succeeded" || phase === "Failed") walk.endAll(isExceeded ? 137 : 0);
  const { initContainerStatuses, containerStatuses, notes } = walk;
  const wakes = [...walk.wakesAtMs, deadlineMs].filter((ms) => ms > nowMs && Number.isFinite(ms));
  const podIp = pod.spec.hostNetwork ? around.hostAddress : around.podAddress;
  const status: PodStatus = {
    ...pod.status,
    phase,
    ...(isExceeded
      ? {
          reason: "DeadlineExceeded",
          message: "Pod was active on the node longer than the specified deadline",
        }
      : {}),
    observedGeneration: pod.metadata.generation ?? 0,
    hostIP: around.hostAddress,
    hostIPs: [{ ip: around.hostAddress }],
    ...(around.isMounted ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {}),
    startTime,
    conditions: podConditions(pod, {
      phase,
      isMounted: around.isMounted,
      initContainerStatuses,
      containerStatuses,
      nowMs,
    }),
    ...(initContainerStatuses.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
  };
  return wakes.length === 0 ? { status, notes } : { status, notes, wakeAtMs: Math.min(...wakes) };
}

/** Visits the containers of a pod in the order of their starts. */
class ContainerWalk {
  initContainerStatuses: ContainerStatus[] = [];
  containerStatuses: ContainerStatus[] = [];
  readonly notes: Note[] = [];
  readonly wakesAtMs: number[] = [];
  readonly #pod: Pod;
  readonly #around: PodSurroundings;
  #initFailed = false;

  constructor(pod: Pod, around: PodSurroundings) {
    this.#pod = pod;
    this.#around = around;
  }

  /** Lets all containers wait, for volumes that cannot be mounted yet. */
  wait(): void {
    const { initContainers = [], containers } = this.#pod.spec;
    const reason = initContainers.length > 0 ? "PodInitializing" : "ContainerCreating";
    this.initContainerStatuses = initContainers.map((one) => waitingStatus(one, reason));
    this.containerStatuses = (containers ?? []).map((one) => waitingStatus(one, reason));
  }

  run(): void {
    const { initContainers = [], containers } = this.#pod.spec;
    let isBlocked = false;
    for (const container of initContainers) {
      const isSidecar = container.restartPolicy === "Always";
      if (isBlocked) {
        this.initContainerStatuses.push(waitingStatus(container, "PodInitializing"));
        continue;
      }
      const known = this.#pod.status?.initContainerStatuses;
      const status = this.#step(container, isSidecar ? "sidecar" : "init", known);
      const exitCode = status.state?.terminated?.exitCode;
      isBlocked = isSidecar ? status.started !== true : exitCode !== 0;
      this.#initFailed ||= isBlocked && exitCode !== undefined;
      this.initContainerStatuses.push(
        isSidecar ? status : { ...status, ready: exitCode === 0, started: false },
      );
    }
    this.containerStatuses = (containers ?? []).map((container) =>
      isBlocked
        ? waitingStatus(container, "PodInitializing")
        : this.#step(container, "main", this.#pod.status?.containerStatuses),
    );
  }

  #step(
    container: Container,
    role: ContainerRole,
    known: readonly ContainerStatus[] | undefined,
  ): ContainerStatus {
    const { simulation, nowMs } = this.#around;
    const run: ContainerRun = {
      pod: this.#pod,
      container,
      program: programOf(this.#pod, container, role, simulation),
      restarts: (exitCode) => this.#restarts(role, exitCode),
      configProblem: () => this.#around.environmentProblem(container),
      nowMs,
    };
    const before = known?.find(({ name }) => name === container.name);
    let { status, notes, wakeAtMs } = nextStep(before, run);
    this.notes.push(...notes);
    // The end of an init container is reported with its start: no reader needs the states between.
    if (role === "init" && status.state?.running) {
      ({ status, notes, wakeAtMs } = nextStep(status, run));
      this.notes.push(...notes);
    }
    if (wakeAtMs !== undefined) this.wakesAtMs.push(wakeAtMs);
    const isProbed = this.#around.probed(container);
    return isProbed === undefined || !status.state?.running
      ? status
      : { ...status, ready: isProbed && status.started === true };
  }

  #restarts(role: ContainerRole, exitCode: number): boolean {
    if (role === "sidecar") return true;
    const { restartPolicy = "Always" } = this.#pod.spec;
    if (restartPolicy === "Never") return false;
    return exitCode !== 0 || (role === "main" && restartPolicy === "Always");
  }

  phase(): "Pending" | "Running" | "Succeeded" | "Failed" {
    if (this.#initFailed) return "Failed";
    const statuses = this.containerStatuses;
    const codes = statuses.map(({ state }) => state?.terminated?.exitCode);
    if (statuses.length > 0 && codes.every((code) => code !== undefined)) {
      return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
    }
    const hasBegun = statuses.some(
      ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
    );
    return hasBegun ? "Running" : "Pending";
  }

  /**
   * Stops running containers: the sidecars of a finished pod, all containers of one past its
   * deadline.
   */
  endAll(exitCode: number): void {
    const end = (status: ContainerStatus): ContainerStatus =>
      stopped(status, exitCode, this.#around.nowMs);
    this.initContainerStatuses = this.initContainerStatuses.map(end);
    this.containerStatuses = this.containerStatuses.map(end);
  }
}

/** The status of a container that was stopped, if it ran. */
function stopped(status: ContainerStatus, exitCode: number, nowMs: number): ContainerStatus {
  const { running } = status.state ?? {};
  if (!running) return { ...status, ready: status.state?.terminated ? status.ready : false };
  const terminated = terminatedState(exitCode, {
    finishedAt: timeOf(nowMs),
    ...present({ startedAt: running.startedAt, containerID: status.containerID }),
  });
  return { ...status, ready: false, started: false, state: { terminated } };
}

/**
 * The status of a deleted pod whose containers were told to end, and did: it failed where none had
 * started.
 */
export function endedPodStatus(pod: Pod, nowMs: number): PodStatus {
  const end = (status: ContainerStatus): ContainerStatus => stopped(status, 0, nowMs);
  const initContainerStatuses = (pod.status?.initContainerStatuses ?? []).map(end);
  const containerStatuses = (pod.status?.containerStatuses ?? []).map(end);
  const codes = containerStatuses.map(({ state }) => state?.terminated?.exitCode);
  const isWell = codes.length > 0 && codes.every((code) => code === 0);
  const phase = isWell ? "Succeeded" : "Failed";
  const isMounted = true;
  const facts = { phase, isMounted, initContainerStatuses, containerStatuses, nowMs };
  return {
    ...pod.status,
    phase,
    conditions: podConditions(pod, facts),
    ...(initContainerStatuses.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
  };
}
