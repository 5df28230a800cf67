/**
 * The probes of one pod, as the workers of the kubelet's probe manager.
 *
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
 */
import type { Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import type { Container, Probe } from "../../../builtin/shared/pods/pod-shapes.ts";
import type { PodTiming } from "../timing.ts";
import { type RuntimeContainer, isSidecar } from "../runtime/runtime-state.ts";
import type { Simulation } from "../simulation.ts";
import { type Probed, type ProbeType, alwaysSucceeds, probeFailure } from "./probe-outcome.ts";

/** A change that probes found. */
export interface ProbeChange {
  readonly type: ProbeType;
  readonly container: RuntimeContainer;
  readonly isGood: boolean;
}

interface Worker {
  readonly type: ProbeType;
  readonly container: Container;
  readonly probe: Probe;
  /** When its ticks began. */
  anchorMs: number;
  /** The container that it probes. */
  id: string;
  /** `undefined` before the first result of this container. */
  verdict: boolean | undefined;
  lastGood: boolean | undefined;
  streak: number;
  /** Whether it waits for another container. */
  isOnHold: boolean;
  dueMs: number;
}

const TYPES: readonly ProbeType[] = ["startup", "liveness", "readiness"];
const NAMES = { startup: "Startup", liveness: "Liveness", readiness: "Readiness" } as const;
/** A probe that a script stands for: it has no ticks of its own. */
const SCRIPTED: Probe = {};

/** The surroundings of a round of probes. */
export interface ProbeRound {
  readonly nowMs: number;
  readonly address: string;
  readonly simulation: Simulation;
  /** The running containers, as the status of the pod has them, and whether they are started. */
  readonly running: readonly {
    readonly container: RuntimeContainer;
    readonly isStarted: boolean;
  }[];
}

export class ProbeWorkers {
  readonly #timing: PodTiming;
  #workers: Worker[] | undefined;
  #stopped: ReadonlySet<ProbeType> = new Set();

  constructor(timing: PodTiming) {
    this.#timing = timing;
  }

  /** Begins to probe the containers of a pod. */
  add({ spec }: Pod, simulation: Simulation, nowMs: number): void {
    if (this.#workers) return;
    const containers = [
      ...(spec.initContainers ?? []).filter(isSidecar),
      ...(spec.containers ?? []),
    ];
    this.#workers = containers.flatMap((container) =>
      TYPES.flatMap((type): Worker[] => {
        const given = container[`${type}Probe`];
        const isScripted = type === "readiness" && isReadinessScripted(simulation);
        const probe = given ?? (isScripted ? SCRIPTED : undefined);
        if (!probe) return [];
        return [
          {
            type,
            container,
            probe,
            anchorMs: nowMs,
            id: "",
            verdict: undefined,
            lastGood: undefined,
            streak: 0,
            isOnHold: false,
            dueMs: Infinity,
          },
        ];
      }),
    );
  }

  /** Ends all probes, when another script begins. */
  reset(): void {
    this.#workers = undefined;
  }

  /** Ends probes of these types. */
  stop(...types: readonly ProbeType[]): void {
    this.#stopped = new Set([...this.#stopped, ...types]);
  }

  #find(name: string, type: ProbeType): Worker | undefined {
    return this.#workers?.find((one) => one.container.name === name && one.type === type);
  }

  /** The last verdict about a container; `undefined` before the first one, or without a probe. */
  verdict({ name, id }: RuntimeContainer, type: ProbeType): boolean | undefined {
    const worker = this.#find(name, type);
    return worker?.id === id ? worker.verdict : undefined;
  }

  has(name: string, type: ProbeType): boolean {
    return this.#find(name, type) !== undefined;
  }

  /** Sets the verdict about a container that was running before this kubelet. */
  restore({ name, id }: RuntimeContainer, type: ProbeType, isGood: boolean): void {
    const worker = this.#find(name, type);
    if (!worker) return;
    worker.id = id;
    worker.verdict = isGood;
    worker.isOnHold = isGood && type === "startup";
  }

  /** Lets the readiness of a container be probed now. */
  trigger(name: string, nowMs: number): void {
    const worker = this.#find(name, "readiness");
    if (!worker || this.#timing.isInstant) return;
    worker.anchorMs = nowMs;
    worker.dueMs = nowMs;
  }

  /** When the next probe is due. */
  nextMs(round: ProbeRound): number {
    let next = Infinity;
    for (const { container, isStarted } of round.running) {
      for (const worker of this.#workers ?? []) {
        if (worker.container.name !== container.name) continue;
        next = Math.min(next, this.#dueMs(worker, container, isStarted, round));
      }
    }
    return next;
  }

  /** Runs the probes that are due. @returns the changes that they cause, and the events of failures */
  async run(
    round: ProbeRound,
    tell: (container: Container, message: string) => Promise<void>,
  ): Promise<ProbeChange[]> {
    const changes: ProbeChange[] = [];
    for (const { container, isStarted } of round.running) {
      for (const worker of this.#workers ?? []) {
        if (worker.container.name !== container.name) continue;
        if (this.#dueMs(worker, container, isStarted, round) > round.nowMs) continue;
        const failure = await this.#failure(worker, container, round);
        if (failure !== undefined && worker.probe !== SCRIPTED) {
          await tell(worker.container, `${NAMES[worker.type]} probe failed: ${failure}`);
        }
        worker.dueMs = this.#afterMs(worker, round.nowMs);
        const isGood = failure === undefined;
        if (count(worker, isGood)) changes.push({ type: worker.type, container, isGood });
      }
    }
    return changes;
  }

  #probed(worker: Worker, { state }: RuntimeContainer, round: ProbeRound): Probed | undefined {
    if (state.kind !== "running") return undefined;
    const { container, type, probe } = worker;
    const { process, startMs } = state;
    const { address, simulation } = round;
    return { container, type, probe, process, startMs, address, simulation };
  }

  async #failure(
    worker: Worker,
    container: RuntimeContainer,
    round: ProbeRound,
  ): Promise<string | undefined> {
    const probed = this.#probed(worker, container, round);
    if (!probed) return "";
    if (worker.type === "readiness" && round.simulation.kind === "slow") return undefined;
    return probeFailure(probed, round.nowMs);
  }

  /** When a probe of a running container is due. */
  #dueMs(
    worker: Worker,
    container: RuntimeContainer,
    isStarted: boolean,
    round: ProbeRound,
  ): number {
    const { type, probe } = worker;
    const { state, id } = container;
    if (this.#stopped.has(type) || state.kind !== "running") return Infinity;
    if (worker.id !== id) {
      Object.assign(worker, {
        id,
        verdict: undefined,
        lastGood: undefined,
        streak: 0,
        isOnHold: false,
      });
      worker.dueMs = this.#firstMs(worker, state.startMs, round.nowMs);
    }
    if (worker.isOnHold || isStarted === (type === "startup")) return Infinity;
    if (type === "readiness" && round.simulation.kind === "slow") {
      return worker.verdict === true ? Infinity : state.startMs + round.simulation.readyAfterMs;
    }
    if (probe === SCRIPTED && worker.verdict !== undefined) {
      const { simulation } = round;
      const changesMs =
        simulation.kind === "probe-fails" ? state.startMs + simulation.afterMs : Infinity;
      return worker.verdict ? Math.max(changesMs, round.nowMs) : Infinity;
    }
    const probed = this.#probed(worker, container, round);
    if (worker.verdict === true && probed && alwaysSucceeds(probed)) return Infinity;
    const delayMs = 1000 * (probe.initialDelaySeconds ?? 0);
    // A kubelet counts full seconds.
    const sinceMs = Math.floor(state.startMs / 1000) * 1000;
    while (worker.dueMs - (this.#timing.isInstant ? state.startMs : sinceMs) < delayMs) {
      worker.dueMs = this.#afterMs(worker, worker.dueMs);
    }
    return worker.dueMs;
  }

  /** The first probe of a container. */
  #firstMs(worker: Worker, startMs: number, nowMs: number): number {
    if (this.#timing.isInstant) {
      worker.anchorMs = startMs + 1000 * (worker.probe.initialDelaySeconds ?? 0);
      return worker.anchorMs >= nowMs ? worker.anchorMs : this.#afterMs(worker, nowMs);
    }
    return worker.dueMs > nowMs && worker.dueMs !== Infinity
      ? worker.dueMs
      : this.#afterMs(worker, nowMs - 1);
  }

  /** The first tick after that time. */
  #afterMs({ anchorMs, probe }: Worker, ms: number): number {
    const periodMs = 1000 * (probe.periodSeconds ?? 10);
    return anchorMs + (Math.floor((ms - anchorMs) / periodMs) + 1) * periodMs;
  }
}

/** Counts a result. @returns whether the verdict changed */
function count(worker: Worker, isGood: boolean): boolean {
  const { type, probe } = worker;
  worker.streak = worker.lastGood === isGood ? worker.streak + 1 : 1;
  worker.lastGood = isGood;
  const needed =
    probe === SCRIPTED ? 1 : isGood ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  if (worker.streak < needed) return false;
  const before =
    worker.verdict ?? (type === "liveness" ? true : type === "readiness" ? false : undefined);
  worker.verdict = isGood;
  if (type === "startup" || (type === "liveness" && !isGood)) {
    worker.isOnHold = true;
    worker.streak = 0;
  }
  return before !== isGood;
}

const isReadinessScripted = (simulation: Simulation): boolean =>
  simulation.kind === "slow" ||
  simulation.kind === "never-ready" ||
  (simulation.kind === "probe-fails" && simulation.type === "readiness");
