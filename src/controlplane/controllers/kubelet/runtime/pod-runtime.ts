/** The simulated container runtime of one pod: its sandbox, and its containers with their processes. */
import { createHash } from "node:crypto";
import { present } from "../../../../present.ts";
import type { Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import { Process, type ProcessEnd } from "../program/process.ts";
import type { Simulation } from "../simulation.ts";
import {
  type ContainerPlace,
  type RuntimeContainer,
  type RuntimeState,
  NOTHING,
  isRunning,
  latest,
  placeOf,
} from "./runtime-state.ts";

/** Ended containers that are kept for each name, besides the latest one. */
const KEPT = 1;
const KILLED = 137;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export class PodRuntime {
  #state: RuntimeState;
  /** Processes that got SIGTERM or SIGKILL, and their ends, by the ids of their containers. */
  readonly #stopped = new Map<string, ProcessEnd>();

  constructor(state: RuntimeState = NOTHING) {
    this.#state = state;
  }

  /** The state at that time. */
  stateAt(nowMs: number): RuntimeState {
    const hasEnded = this.#state.containers.some((one) => this.#endOf(one) <= nowMs);
    if (hasEnded) {
      const containers = this.#state.containers.map((one) => this.#ended(one, nowMs));
      this.#state = { ...this.#state, containers };
    }
    return this.#state;
  }

  /** The state in which no process has ended since the last look. */
  get started(): RuntimeState {
    return this.#state;
  }

  /** When the next of its processes ends. */
  nextEndMs(): number {
    return Math.min(...this.#state.containers.map((one) => this.#endOf(one)));
  }

  startSandbox(address: string): void {
    this.#state = { ...this.#state, sandbox: "ready", address };
  }

  stopSandbox(): void {
    if (this.#state.sandbox === "ready") this.#state = { ...this.#state, sandbox: "stopped" };
  }

  /** Starts a container. @returns its process */
  start(
    pod: Pod,
    place: ContainerPlace,
    simulation: Simulation,
    times: { readonly startMs: number; readonly lifeMs: number },
  ): Process {
    const { container, role } = place;
    const process = new Process({ pod, container, role, simulation, ...times });
    this.#add(pod, place, { kind: "running", startMs: times.startMs, process });
    return process;
  }

  /** A container whose program could not be started. */
  addFailed(pod: Pod, place: ContainerPlace, message: string, endMs: number): void {
    this.#add(pod, place, { kind: "exited", endMs, exitCode: 128, reason: "StartError", message });
  }

  /** Makes the processes anew when the annotation of the pod has changed: they began when they did. */
  rescript(pod: Pod, simulation: Simulation, lifeMs: number): void {
    const containers = this.#state.containers.map((one): RuntimeContainer => {
      const place = placeOf(pod, one.name);
      if (one.state.kind !== "running" || !place) return one;
      const { container, role } = place;
      const { startMs } = one.state;
      const process = new Process({ pod, container, role, simulation, startMs, lifeMs });
      return { ...one, state: { ...one.state, process } };
    });
    this.#state = { ...this.#state, containers };
  }

  /** Sends SIGTERM. @returns when the process ends; `Infinity` when it ignores the signal */
  signal(name: string, nowMs: number): number {
    const container = latest(this.stateAt(nowMs), name);
    if (container?.state.kind !== "running") return nowMs;
    const end = container.state.process.endAfterSignal(nowMs);
    if (end) this.#stopped.set(container.id, end);
    return this.#endOf(container);
  }

  /** Ends a process that got SIGTERM now, as if its end had come. */
  hurry(name: string, nowMs: number): void {
    const container = latest(this.#state, name);
    const end = container && this.#stopped.get(container.id);
    if (end) this.#stopped.set(container.id, { ...end, endMs: nowMs });
    else this.kill(name, nowMs);
  }

  /** Sends SIGKILL. */
  kill(name: string, nowMs: number): void {
    const container = latest(this.#state, name);
    if (container?.state.kind !== "running") return;
    this.#stopped.set(container.id, { endMs: nowMs, exitCode: KILLED, reason: "Error" });
  }

  /** Gives a running container the resources of its spec. */
  resize(pod: Pod, name: string): void {
    const containers = this.#state.containers.map((one) =>
      one.name === name && isRunning(one)
        ? { ...one, resources: placeOf(pod, name)?.container.resources }
        : one,
    );
    this.#state = { ...this.#state, containers };
  }

  #add(pod: Pod, { container }: ContainerPlace, state: RuntimeContainer["state"]): void {
    const { name, image = "", resources } = container;
    const before = latest(this.#state, name);
    const restartCount = before ? before.restartCount + 1 : 0;
    const { uid = "" } = pod.metadata;
    const added: RuntimeContainer = {
      name,
      id: `containerd://${digestOf(`${uid}/${name}/${restartCount}`)}`,
      image,
      imageId: `${image.replace(/[:@][^/]*$/, "")}@sha256:${digestOf(image)}`,
      restartCount,
      resources,
      state,
    };
    let kept = 0;
    const older = this.#state.containers.filter((one) => one.name !== name || kept++ < KEPT);
    this.#state = { ...this.#state, containers: [added, ...older] };
  }

  #endOf(container: RuntimeContainer): number {
    if (container.state.kind !== "running") return Infinity;
    const ends = [this.#stopped.get(container.id), container.state.process.end];
    return Math.min(...ends.map((end) => end?.endMs ?? Infinity));
  }

  #ended(container: RuntimeContainer, nowMs: number): RuntimeContainer {
    const { state } = container;
    if (state.kind !== "running") return container;
    const own = state.process.end;
    const stopped = this.#stopped.get(container.id);
    const end = stopped && (!own || stopped.endMs < own.endMs) ? stopped : own;
    if (!end || end.endMs > nowMs) return container;
    this.#stopped.delete(container.id);
    const { endMs, exitCode, reason } = end;
    const message = state.process.messageAt(endMs, exitCode);
    const { startMs } = state;
    return {
      ...container,
      state: { kind: "exited", startMs, endMs, exitCode, reason, ...present({ message }) },
    };
  }
}
