/**
 * Scheduler and kubelet in one: pods get a node, run, become ready, finish, and go.
 *
 * Nothing runs in truth. Containers start at once and stay up; the pods of a Job succeed at once; unless an
 * annotation has another script for them.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 * @module
 */
import type { Clock } from "../../clock.ts";
import type { Pod, PodStatus } from "../builtin/strategies/pod-shapes.ts";
import type { Condition, Node } from "../builtin/strategies/shapes.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { NODES, PODS, concerns, keyFrom, textOf } from "./keys.ts";
import { nodeAddress } from "./node-simulator.ts";
import { containerId, containerStatus, initStatus, running } from "./container-statuses.ts";
import { controllerOf } from "./ownership.ts";
import { type PodScript, restartDelayMs, scriptOf } from "./pod-script.ts";
import { isSelected, untolerated } from "./pod-scheduling.ts";
import { isFinished, isReady, restartsOf } from "./pods.ts";
import { msOf, timeOf } from "./times.ts";
import type { Controller } from "./work-loop.ts";

/** What the lifecycle writes with: the scheduler and the kubelet are two users. */
export interface PodLifecycleParts {
  readonly scheduler: ControllerClient;
  readonly schedulerEvents: EventRecorder;
  readonly kubelet: ControllerClient;
  readonly kubeletEvents: EventRecorder;
  readonly clock: Clock;
}

/** Addresses of pods: 10.244.0.0/16. */
const POD_ADDRESSES = 65_000;

/** Moves every pod on to where it belongs. */
export class PodLifecycle implements Controller {
  readonly name = "PodLifecycle";
  readonly watches = [PODS, NODES];
  readonly #parts: PodLifecycleParts;
  readonly #addresses = new Map<string, number>();
  readonly #usedAddresses = new Set<number>();
  #lastAddress = 0;

  constructor(parts: PodLifecycleParts) {
    this.#parts = parts;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, PODS)) yield textOf(event.object);
    // Another node, other labels or a taint less: what waited may fit now.
    if (concerns(event, NODES) && event.type !== "DELETED") {
      for (const pod of this.#parts.kubelet.list(PODS) as readonly Pod[]) {
        if (!pod.spec.nodeName) yield textOf(pod);
      }
    }
  }

  async sync(key: string): Promise<number | undefined> {
    const pod = this.#parts.kubelet.find(PODS, keyFrom(key)) as Pod | undefined;
    if (!pod) this.#freeAddress(key);
    else if (pod.metadata.deletionTimestamp) await this.#finishDeletion(pod);
    else if (!pod.spec.nodeName) await this.#schedule(pod);
    else if (!isFinished(pod)) return this.#run(pod);
    return undefined;
  }

  async #finishDeletion(pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "", deletionGracePeriodSeconds } = pod.metadata;
    if (deletionGracePeriodSeconds === 0) return;
    await unlessGone(
      this.#parts.kubelet.remove(PODS, { namespace, name }, { gracePeriodSeconds: 0, uid }),
    );
  }

  async #schedule(pod: Pod): Promise<void> {
    const { spec } = pod;
    if ((spec.schedulingGates ?? []).length > 0) return;
    if (spec.schedulerName !== "default-scheduler") return;
    const { scheduler, schedulerEvents } = this.#parts;
    const nodes = (scheduler.list(NODES) as readonly Node[]).filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    );
    const fitting = nodes.filter(
      (node) =>
        isSelected(spec, node) &&
        node.spec?.unschedulable !== true &&
        !untolerated(spec.tolerations, node, ["NoSchedule", "NoExecute"]),
    );
    const load = new Map<string, number>();
    for (const { spec: other } of scheduler.list(PODS) as readonly Pod[]) {
      const node = other.nodeName ?? "";
      load.set(node, (load.get(node) ?? 0) + 1);
    }
    const nameOf = (node: Node): string => node.metadata.name ?? "";
    const [node] = fitting.toSorted(
      (left, right) =>
        (load.get(nameOf(left)) ?? 0) - (load.get(nameOf(right)) ?? 0) ||
        (nameOf(left) < nameOf(right) ? -1 : 1),
    );
    if (!node) {
      await this.#noteUnschedulable(pod, nodes);
      return;
    }
    const { namespace = "", name = "" } = pod.metadata;
    await scheduler.update(
      PODS,
      { ...pod, spec: { ...spec, nodeName: nameOf(node) } } as Pod,
      "binding",
    );
    await schedulerEvents.record(
      pod,
      "Normal",
      "Scheduled",
      `Successfully assigned ${namespace}/${name} to ${nameOf(node)}`,
    );
  }

  async #noteUnschedulable(pod: Pod, nodes: readonly Node[]): Promise<void> {
    const reasons = new Map<string, number>();
    for (const node of nodes) {
      const taint = untolerated(pod.spec.tolerations, node, ["NoSchedule", "NoExecute"]);
      const reason =
        node.spec?.unschedulable === true
          ? "node(s) were unschedulable"
          : taint
            ? `node(s) had untolerated taint(s)`
            : "node(s) didn't match Pod's node affinity/selector";
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    const texts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
    const message =
      nodes.length === 0
        ? "no nodes available to schedule pods"
        : `0/${nodes.length} nodes are available: ${texts.join(", ")}.`;
    const known = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (known?.reason === "Unschedulable" && known.message === message) return;
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: timeOf(this.#parts.clock.now()),
    };
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
    await this.#parts.scheduler.update(
      PODS,
      { ...pod, status: { ...pod.status, conditions: [...others, condition] } } as Pod,
      "status",
    );
    await this.#parts.schedulerEvents.record(pod, "Warning", "FailedScheduling", message);
  }

  async #run(pod: Pod): Promise<number | undefined> {
    const node = this.#parts.kubelet.find(NODES, { name: pod.spec.nodeName ?? "" });
    if (!node) return undefined;
    const script = scriptOf(pod);
    const ends = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
    if (pod.status?.phase !== "Running") {
      await this.#writeStatus(pod, this.#runningStatus(pod, script.kind === "run"));
      await this.#tellOfContainers(pod);
      return undefined;
    }
    const sinceMs = this.#parts.clock.now() - msOf(pod.status.startTime);
    switch (script.kind) {
      case "fail":
        return this.#fail(pod, script, sinceMs);
      case "slow": {
        const leftMs = script.afterMs - sinceMs;
        if (leftMs > 0) return leftMs;
        if (!isReady(pod)) await this.#writeStatus(pod, this.#runningStatus(pod, true));
        return undefined;
      }
      case "never-ready":
        return undefined;
      case "run":
        if (ends && !script.staysUp) await this.#writeStatus(pod, this.#endedStatus(pod, 0));
        else await this.#refreshReadiness(pod);
        return undefined;
    }
  }

  /** The container ends badly: for good where it is not restarted, else again and again. */
  async #fail(pod: Pod, script: PodScript, sinceMs: number): Promise<number | undefined> {
    if (pod.spec.restartPolicy === "Never") {
      await this.#writeStatus(pod, this.#endedStatus(pod, script.exitCode));
      return undefined;
    }
    const restarts = restartsOf(pod);
    const dueMs = restartDelayMs(restarts);
    if (restarts > 0 && sinceMs < dueMs) return dueMs - sinceMs;
    const { metadata, spec, status } = pod;
    const time = timeOf(this.#parts.clock.now());
    const ended = { exitCode: script.exitCode, reason: "Error", startedAt: time, finishedAt: time };
    const message = `back-off restarting failed container in pod ${metadata.name ?? ""}`;
    await this.#writeStatus(pod, {
      ...status,
      conditions: this.#conditions(pod, "unready"),
      containerStatuses: (spec.containers ?? []).map((one) => ({
        ...containerStatus(pod, one, { waiting: { reason: "CrashLoopBackOff", message } }, false),
        restartCount: restarts + 1,
        lastState: { terminated: { ...ended, containerID: containerId(pod, one) } },
      })),
    });
    await this.#parts.kubeletEvents.record(pod, "Warning", "BackOff", message);
    return Math.max(1, restartDelayMs(restarts + 1) - sinceMs);
  }

  async #writeStatus(pod: Pod, status: PodStatus): Promise<void> {
    await this.#parts.kubelet.update(PODS, { ...pod, status } as Pod, "status");
  }

  async #tellOfContainers(pod: Pod): Promise<void> {
    for (const { name, image = "" } of pod.spec.containers ?? []) {
      const tell = (reason: string, message: string): Promise<void> =>
        this.#parts.kubeletEvents.record(pod, "Normal", reason, message);
      await tell("Pulled", `Container image "${image}" already present on machine`);
      await tell("Created", `Container created: ${name}`);
      await tell("Started", `Container started: ${name}`);
    }
  }

  #runningStatus(pod: Pod, ready: boolean): PodStatus {
    const { spec, status, metadata } = pod;
    const time = timeOf(this.#parts.clock.now());
    const ip = this.#addressOf(textOf(pod));
    const host = nodeAddress(nodeIndex(spec.nodeName ?? ""));
    const podIp = spec.hostNetwork ? host : ip;
    const containers = spec.containers ?? [];
    return {
      ...status,
      phase: "Running",
      observedGeneration: metadata.generation ?? 0,
      hostIP: host,
      hostIPs: [{ ip: host }],
      podIP: podIp,
      podIPs: [{ ip: podIp }],
      startTime: status?.startTime ?? time,
      conditions: this.#conditions(pod, ready ? "ready" : "unready"),
      ...(spec.initContainers
        ? { initContainerStatuses: spec.initContainers.map((one) => initStatus(pod, one, time)) }
        : {}),
      containerStatuses: containers.map((one) => containerStatus(pod, one, running(time), ready)),
    };
  }

  #endedStatus(pod: Pod, exitCode: number): PodStatus {
    const time = timeOf(this.#parts.clock.now());
    return {
      ...pod.status,
      phase: exitCode === 0 ? "Succeeded" : "Failed",
      observedGeneration: pod.metadata.generation ?? 0,
      conditions: this.#conditions(pod, exitCode === 0 ? "completed" : "failed"),
      containerStatuses: (pod.spec.containers ?? []).map((one) =>
        containerStatus(
          pod,
          one,
          {
            terminated: {
              exitCode,
              reason: exitCode === 0 ? "Completed" : "Error",
              startedAt: pod.status?.startTime ?? time,
              finishedAt: time,
              containerID: containerId(pod, one),
            },
          },
          false,
        ),
      ),
    };
  }

  /** Readiness gates are set by others; the pod is ready once they are all true. */
  async #refreshReadiness(pod: Pod): Promise<void> {
    const conditions = this.#conditions(pod, "ready");
    const wanted = conditions.find(({ type }) => type === "Ready")?.status;
    const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
    if ((pod.spec.readinessGates ?? []).length === 0 || ready?.status === wanted) return;
    await this.#writeStatus(pod, { ...pod.status, conditions });
  }

  #conditions(pod: Pod, state: "ready" | "unready" | "completed" | "failed"): Condition[] {
    const isRunning = state === "ready" || state === "unready";
    const time = timeOf(this.#parts.clock.now());
    const before = pod.status?.conditions ?? [];
    const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
    const closed = gates.filter(
      (gate) => before.find(({ type }) => type === gate)?.status !== "True",
    );
    const done = isRunning ? {} : { reason: state === "completed" ? "PodCompleted" : "PodFailed" };
    const waiting = { status: "False", reason: "ContainersNotReady" };
    const ready: Partial<Condition> = !isRunning
      ? { status: "False", ...done }
      : state === "unready"
        ? waiting
        : closed.length > 0
          ? {
              status: "False",
              reason: "ReadinessGatesNotReady",
              message: `the status of pod readiness gate "${closed[0] ?? ""}" is not "True", but False`,
            }
          : { status: "True" };
    const facts: (Partial<Condition> & { type: string; status: string })[] = [
      { type: "PodReadyToStartContainers", status: isRunning ? "True" : "False" },
      { type: "Initialized", status: "True", ...done },
      { type: "Ready", status: "True", ...ready },
      {
        type: "ContainersReady",
        status: "True",
        ...(state === "ready" ? {} : state === "unready" ? waiting : { status: "False", ...done }),
      },
      { type: "PodScheduled", status: "True" },
    ];
    const own = new Set(facts.map(({ type }) => type));
    const generation = pod.metadata.generation;
    return [
      ...before.filter(({ type }) => !own.has(type)),
      ...facts.map((fact) => {
        const known = before.find(({ type }) => type === fact.type);
        const since = known?.status === fact.status ? known.lastTransitionTime : undefined;
        return {
          ...fact,
          lastProbeTime: null,
          lastTransitionTime: since ?? time,
          ...(generation === undefined ? {} : { observedGeneration: generation }),
        };
      }),
    ];
  }

  #addressOf(key: string): string {
    let number = this.#addresses.get(key);
    if (number === undefined) {
      do this.#lastAddress = (this.#lastAddress % POD_ADDRESSES) + 1;
      while (this.#usedAddresses.has(this.#lastAddress));
      number = this.#lastAddress;
      this.#addresses.set(key, number);
      this.#usedAddresses.add(number);
    }
    return `10.244.${number >> 8}.${number & 255}`;
  }

  #freeAddress(key: string): void {
    const number = this.#addresses.get(key);
    if (number === undefined) return;
    this.#addresses.delete(key);
    this.#usedAddresses.delete(number);
  }
}

/** The place of `tsop-node-N` among the simulated nodes; others count as the first. */
function nodeIndex(name: string): number {
  const number = /^tsop-node-(\d+)$/.exec(name)?.[1];
  return number === undefined ? 0 : Number(number) - 1;
}
