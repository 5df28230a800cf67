/**
 * The worker of one pod: it looks at the pod's containers, probes them, and does one job at a time, as the
 * kubelet's pod worker, PLEG and probe manager do. Everything happens at a time of the clock, in order.
 */
import { sameJson } from "../../../kube/json.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { missingReferences } from "./missing-references.ts";
import type { PodParts } from "./pod-parts.ts";
import type { Synced } from "./pod-sync.ts";
import { syncPod, syncTerminatedPod, syncTerminatingPod } from "./pod-sync.ts";
import type { ProbeChange, ProbeRound } from "./probes/probe-workers.ts";
import { type RuntimeState, isRunning } from "./runtime/runtime-state.ts";
import type { Simulation } from "./simulation.ts";
import { withReadiness } from "./status/pod-conditions.ts";
import { isTerminal } from "./status/pod-phase.ts";
import { deadlineMs, podStatus } from "./status/pod-status.ts";
import type { Work } from "./work.ts";

type Stage = "syncing" | "terminating" | "terminated" | "finished";

const SHORTEST_WAIT_MS = 1;

export class PodWorker {
  readonly #parts: PodParts;
  #stage: Stage;
  /** The job in hand, and until when it waits. */
  #job: Work<Synced | undefined> | undefined;
  #jobWakesMs = 0;
  /** Whether there is something to do after the job in hand. */
  #isPending = true;
  #retryAtMs = Infinity;
  /** Whether the runtime was looked at since the last job, and when something happened since the last look. */
  #isSeen = true;
  #changedMs = Infinity;
  #lastJobMs = -Infinity;
  /** What the references of the pod lacked last. */
  #missing = "";

  constructor(parts: PodParts) {
    this.#parts = parts;
    this.#stage = isTerminal(parts.pod.status?.phase) ? "terminated" : "syncing";
    this.#heedDeletion();
  }

  get pod(): Pod {
    return this.#parts.pod;
  }

  /** Whether the pod waits for an object that it refers to. */
  get isBlocked(): boolean {
    const { mountProblems, failures } = this.#parts;
    return (
      mountProblems.length > 0 ||
      [...failures.values()].some(({ reason }) => reason === "CreateContainerConfigError")
    );
  }

  /** Takes note of the pod as it is in the API now. */
  observe(pod: Pod, simulation: Simulation): void {
    const parts = this.#parts;
    const before = parts.pod;
    parts.pod = pod;
    if (!sameJson(before.spec, pod.spec) || !sameJson(metaOf(before), metaOf(pod))) {
      this.#isPending = true;
    }
    if (JSON.stringify(simulation) !== JSON.stringify(parts.simulation)) {
      parts.simulation = simulation;
      parts.runtime.rescript(pod, simulation, parts.timing.lifeMs);
      parts.probes.reset();
      parts.probes.add(pod, simulation, parts.nowMs);
      this.#isPending = true;
    }
    const isEndedByOthers = isTerminal(pod.status?.phase) && !isTerminal(before.status?.phase);
    if (isEndedByOthers || this.#areGatesMoved(before, pod)) this.#isPending = true;
    this.#heedDeletion();
  }

  #areGatesMoved(before: Pod, { spec, status }: Pod): boolean {
    return (spec.readinessGates ?? []).some(({ conditionType }) => {
      const gateOf = ({ conditions = [] }: NonNullable<Pod["status"]> = {}): string | undefined =>
        conditions.find(({ type }) => type === conditionType)?.status;
      return gateOf(before.status) !== gateOf(status);
    });
  }

  #heedDeletion(): void {
    const parts = this.#parts;
    if (parts.pod.metadata.deletionTimestamp === undefined) return;
    parts.isTerminating = true;
    if (this.#stage === "syncing") this.#stage = "terminating";
    else if (this.#stage === "finished") this.#stage = "terminated";
    else return;
    this.#isPending = true;
    this.#retryAtMs = Infinity;
    if (this.#parts.mountProblems.length > 0) this.#jobWakesMs = this.#parts.nowMs;
  }

  /** Does all that is due. @returns after how many milliseconds something is due again */
  async run(): Promise<number | undefined> {
    const parts = this.#parts;
    this.#heedReferences();
    for (;;) {
      const { nowMs, runtime } = parts;
      if (this.#changedMs === Infinity && runtime.stateAt(nowMs) !== parts.seen) {
        this.#changedMs = nowMs;
      }
      const round = this.#probeRound();
      const relistMs = this.#relistDueMs();
      const probeMs = this.#stage === "finished" ? Infinity : parts.probes.nextMs(round);
      const jobMs = this.#jobDueMs();
      if (relistMs <= nowMs) this.#relist();
      else if (probeMs <= nowMs) await this.#probe(round);
      else if (jobMs <= nowMs) {
        // Others see a start before the end that follows: what was written brings the pod back at once.
        if ((await this.#work()) === "shown") return SHORTEST_WAIT_MS;
      } else {
        if (parts.timing.isInstant) await this.#flush();
        const nextMs = Math.min(relistMs, probeMs, jobMs);
        return nextMs === Infinity ? undefined : Math.max(SHORTEST_WAIT_MS, nextMs - parts.nowMs);
      }
    }
  }

  /** Without the waits of a node, a pod goes on when something that it needs is there. */
  #heedReferences(): void {
    const parts = this.#parts;
    if (!parts.timing.isInstant || !this.isBlocked) return;
    const missing = missingReferences(parts.setting.client, parts.pod);
    if (missing === this.#missing) return;
    this.#missing = missing;
    if (parts.mountProblems.length > 0) this.#jobWakesMs = parts.nowMs;
    else this.#isPending = true;
  }

  /** Writes what has happened at this moment as one change. */
  async #flush(): Promise<void> {
    const parts = this.#parts;
    if (this.#stage === "syncing" && !this.#job && parts.statuses.status) {
      parts.statuses.set(await podStatus(parts, parts.runtime.stateAt(parts.nowMs), false));
    }
    await parts.statuses.write(parts.pod, this.#mayRun);
  }

  get #mayRun(): boolean {
    return this.#stage === "syncing" || this.#stage === "terminating";
  }

  /** The next look at the runtime at or after that time. */
  #tick(ms: number): number {
    const { relistMs } = this.#parts.timing;
    const { relistPhaseMs } = this.#parts.setting;
    if (relistMs === 0) return ms;
    return Math.ceil((ms - relistPhaseMs) / relistMs) * relistMs + relistPhaseMs;
  }

  #relistDueMs(): number {
    if (this.#stage === "finished") return Infinity;
    const { runtime, nowMs } = this.#parts;
    const changeMs = Math.min(this.#changedMs, runtime.nextEndMs());
    const changed = changeMs === Infinity ? Infinity : this.#tick(changeMs);
    return this.#waitsForLook() ? Math.min(changed, this.#tick(nowMs + 1)) : changed;
  }

  /** Whether a job is to begin that needs a look at the runtime after the last one. */
  #waitsForLook(): boolean {
    const { relistMs } = this.#parts.timing;
    if (this.#job || this.#isSeen || relistMs === 0 || !this.#isDue()) return false;
    const { nowMs } = this.#parts;
    const lastTickMs = this.#tick(nowMs) === nowMs ? nowMs : this.#tick(nowMs) - relistMs;
    return lastTickMs <= this.#lastJobMs;
  }

  #isDue(): boolean {
    if (this.#stage === "finished") return false;
    const { pod, statuses, nowMs } = this.#parts;
    const isPast = this.#stage === "syncing" && nowMs >= deadlineMs(pod, statuses.status);
    return this.#isPending || nowMs >= this.#retryAtMs || isPast;
  }

  #jobDueMs(): number {
    if (this.#job) return this.#jobWakesMs;
    if (this.#stage === "finished") return Infinity;
    if (this.#isDue()) return this.#waitsForLook() ? Infinity : this.#parts.nowMs;
    const { pod, statuses } = this.#parts;
    const deadline = this.#stage === "syncing" ? deadlineMs(pod, statuses.status) : Infinity;
    return Math.min(this.#retryAtMs, deadline);
  }

  /** Looks at the runtime: a change of a container or the sandbox is something to do. */
  #relist(): void {
    const parts = this.#parts;
    const before = parts.seen;
    parts.seen = parts.runtime.stateAt(parts.nowMs);
    this.#isSeen = true;
    this.#changedMs = Infinity;
    if (isChanged(before, parts.seen)) this.#isPending = true;
  }

  async #work(): Promise<"shown" | undefined> {
    const parts = this.#parts;
    if (!this.#job) {
      this.#isPending = false;
      this.#retryAtMs = Infinity;
      if (parts.timing.isInstant) parts.seen = parts.runtime.stateAt(parts.nowMs);
      this.#job =
        this.#stage === "syncing"
          ? syncPod(parts)
          : this.#stage === "terminating"
            ? syncTerminatingPod(parts)
            : syncTerminatedPod(parts);
    }
    const job = this.#job;
    const step = await job.next();
    if (step.done !== true) {
      this.#jobWakesMs = parts.nowMs + step.value;
      return undefined;
    }
    this.#job = undefined;
    this.#lastJobMs = parts.nowMs;
    this.#isSeen = false;
    const synced = step.value;
    const endsAtOnce = synced?.hasActed === true && parts.runtime.nextEndMs() <= parts.nowMs;
    const isShown = endsAtOnce && parts.timing.isInstant;
    if (isShown) await this.#showStart();
    this.#complete(synced);
    return isShown ? "shown" : undefined;
  }

  /** Writes the start of containers that end at once, so that it is seen: without a probe they were ready. */
  async #showStart(): Promise<void> {
    const parts = this.#parts;
    parts.statuses.set(await podStatus(parts, parts.runtime.started, false));
    await parts.statuses.write(parts.pod, true);
  }

  #complete(synced: Synced | undefined): void {
    const parts = this.#parts;
    if (synced) {
      if (synced.isOver && this.#stage === "syncing") {
        this.#stage = "terminating";
        parts.isTerminating = true;
        this.#isPending = true;
      }
      this.#retryAtMs = synced.retryAtMs ?? Infinity;
      if (synced.hasActed) this.#relist();
      if (synced.hasResized === true) this.#isPending = true;
    } else if (this.#stage === "terminating") {
      this.#stage = "terminated";
      this.#isPending = true;
    } else {
      this.#stage = "finished";
    }
  }

  #probeRound(): ProbeRound {
    const { simulation, setting, nowMs, seen, statuses } = this.#parts;
    const status = statuses.status ?? {};
    const known = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    const running = seen.containers.flatMap((container) => {
      const one = known.find(({ name }) => name === container.name);
      const isUp = one?.state?.running !== undefined && one.containerID === container.id;
      return isUp && isRunning(container) ? [{ container, isStarted: one.started === true }] : [];
    });
    return { nowMs, simulation, running, address: setting.address };
  }

  async #probe(round: ProbeRound): Promise<void> {
    const parts = this.#parts;
    const changes = await parts.probes.run(round, (container, message) => {
      const list =
        parts.pod.spec.initContainers?.includes(container) === true
          ? "initContainers"
          : "containers";
      const place = {
        container,
        role: "main",
        fieldPath: `spec.${list}{${container.name}}`,
      } as const;
      return parts.tellOf(place, "Warning", "Unhealthy", message);
    });
    for (const change of changes) await this.#take(change);
  }

  /** Takes over what a probe has found. */
  async #take({ type, container, isGood }: ProbeChange): Promise<void> {
    const parts = this.#parts;
    const { statuses, pod, nowMs } = parts;
    this.#isPending = true;
    const { status } = statuses;
    if (!status || type === "liveness") return;
    const change = <T extends { containerID?: string }>(one: T): T =>
      one.containerID !== container.id
        ? one
        : { ...one, ...(type === "startup" ? { started: isGood } : { ready: isGood }) };
    const { initContainerStatuses, phase, conditions = [] } = status;
    const containerStatuses = (status.containerStatuses ?? []).map(change);
    const init = initContainerStatuses?.map(change);
    const own = isTerminal(phase) || phase === "Pending" || phase === "Running" ? phase : "Pending";
    const facts = { phase: own, containerStatuses, initContainerStatuses: init ?? [] } as const;
    statuses.set({
      ...status,
      containerStatuses,
      ...(init ? { initContainerStatuses: init } : {}),
      conditions: type === "startup" ? conditions : withReadiness(pod, conditions, facts, nowMs),
    });
    await parts.write(this.#mayRun);
  }
}

const metaOf = ({ metadata }: Pod): object => ({
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  deletion: metadata.deletionTimestamp ?? "",
  grace: metadata.deletionGracePeriodSeconds ?? -1,
});

/** Whether a container or the sandbox is in another state; containers that are gone don't count. */
function isChanged(before: RuntimeState, now: RuntimeState): boolean {
  if (before.sandbox !== now.sandbox) return true;
  return now.containers.some((container) => {
    const known = before.containers.find(({ id }) => id === container.id);
    return known?.state.kind !== container.state.kind;
  });
}
