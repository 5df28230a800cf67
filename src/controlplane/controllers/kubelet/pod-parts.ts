/** What the kubelet keeps about one pod, and the tools for it. */
import type { Clock } from "../../../clock.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { ControllerClient } from "../framework/client.ts";
import type { EventRecorder } from "../framework/event-recorder.ts";
import { BackOff } from "./back-off.ts";
import { ProbeWorkers } from "./probes/probe-workers.ts";
import type { PodRuntime } from "./runtime/pod-runtime.ts";
import type { ContainerPlace, RuntimeState } from "./runtime/runtime-state.ts";
import type { Simulation } from "./simulation.ts";
import type { StartFailure } from "./status/container-statuses.ts";
import { StatusManager } from "./status/status-manager.ts";
import type { PodTiming } from "./timing.ts";

/** Where the pod runs, and how. */
export interface PodSetting {
  readonly client: ControllerClient;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly timing: PodTiming;
  /** When in each period the kubelet looks at its containers. */
  readonly relistPhaseMs: number;
  /** The address that the pod gets, and that of its node. */
  readonly address: string;
  readonly hostAddress: string;
}

export class PodParts {
  readonly setting: PodSetting;
  readonly timing: PodTiming;
  readonly runtime: PodRuntime;
  readonly probes: ProbeWorkers;
  readonly statuses: StatusManager;
  /** Waits before containers that crash are started again. */
  readonly crashes = new BackOff();
  /** Waits before images are pulled again. */
  readonly pulls = new BackOff();
  /** Why containers could not be started, by their names. */
  readonly failures = new Map<string, StartFailure>();
  pod: Pod;
  simulation: Simulation;
  /** The state of the runtime as it was seen last. */
  seen: RuntimeState;
  /** Whether all containers of the pod are to end. */
  isTerminating = false;
  isResizing = false;
  /** The problems of the pod's volumes, while it waits for them. */
  mountProblems: readonly string[] = [];

  constructor(setting: PodSetting, pod: Pod, simulation: Simulation, runtime: PodRuntime) {
    this.setting = setting;
    this.timing = setting.timing;
    this.pod = pod;
    this.simulation = simulation;
    this.runtime = runtime;
    this.probes = new ProbeWorkers(setting.timing);
    this.statuses = new StatusManager(setting.client);
    this.seen = runtime.stateAt(this.nowMs);
  }

  get nowMs(): number {
    return this.setting.clock.now();
  }

  /** `name_namespace(uid)`, as the kubelet names pods. */
  get text(): string {
    const { name = "", namespace = "", uid = "" } = this.pod.metadata;
    return `${name}_${namespace}(${uid})`;
  }

  /** Writes the status, unless everything of this moment is written at once later. */
  async write(mayRun: boolean): Promise<void> {
    if (!this.timing.isInstant) await this.statuses.write(this.pod, mayRun);
  }

  /** Records an event about the pod. */
  async tell(type: "Normal" | "Warning", reason: string, message: string): Promise<void> {
    const host = this.pod.spec.nodeName ?? "";
    await this.setting.events.record(this.pod, type, reason, message, { host });
  }

  /** Records an event about a container of the pod. */
  async tellOf(
    { fieldPath }: ContainerPlace,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ): Promise<void> {
    const host = this.pod.spec.nodeName ?? "";
    await this.setting.events.record(this.pod, type, reason, message, { host, fieldPath });
  }
}
