/**
 * The simulated kubelets: pods with a node have their volumes mounted, run, become ready, finish
 * and are removed.
 *
 * Nothing is executed. Pods wait for the objects that they refer to, containers follow their
 * command if it is one that is understood, and the annotation `tsop.dev/simulate` scripts other
 * behavior.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { ResourceName } from "../../resource-name.ts";
import { unlessGone } from "../framework/absence.ts";
import { usersOf } from "../volumes/claims.ts";
import { textOf } from "../framework/keys.ts";
import { CLAIMS, CONFIG_MAPS, NODES, PODS, SECRETS } from "../../builtin/tokens.ts";
import { nodeAddress } from "../nodes/node-simulator.ts";
import { admissionProblem } from "../scheduler/pod-admission.ts";
import { present } from "../../../present.ts";
import { ObjectController, type Tools, watch } from "../framework/controller.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { PodParts } from "./pod-parts.ts";
import { PodWorker } from "./pod-worker.ts";
import { recoveredRuntime, recoverMemory } from "./recovery.ts";
import { SIMULATE, SIMULATIONS, simulationOf, type Simulation } from "./simulation.ts";
import { isTerminal } from "./status/pod-phase.ts";
import type { PodTiming } from "./timing.ts";

/** Brings every pod with a node to its next state. */
export class Kubelet extends ObjectController<Pod> {
  readonly name = "Kubelet";
  readonly resource = PODS;
  readonly watches = [
    watch(PODS),
    watch(NODES, ({ type, object }) => (type === "ADDED" ? this.#podsOf(object) : [])),
    watch(CLAIMS, ({ object }) =>
      usersOf(this.client, object.metadata)
        .map(textOf)
        .filter((key) => this.#workers.get(key)?.isBlocked),
    ),
    ...[SECRETS, CONFIG_MAPS].map((resource: ResourceName) =>
      watch(resource, ({ object: { metadata } }) => this.#blockedIn(metadata.namespace ?? "")),
    ),
  ];
  readonly #timing: PodTiming;
  readonly #relistPhaseMs: number;
  readonly #addresses = new PodAddresses();
  readonly #workers = new Map<string, PodWorker>();
  /** The keys of pods whose annotation is not understood, and whose event was recorded. */
  readonly #misunderstood = new Map<string, string>();

  constructor(tools: Tools, timing: PodTiming) {
    super(tools);
    this.#timing = timing;
    // As a kubelet that was started some time before.
    this.#relistPhaseMs =
      timing.relistMs === 0 ? 0 : Math.floor(timing.relistMs * this.clock.random());
  }

  *#podsOf({ metadata: { name } }: Node): Iterable<string> {
    for (const pod of this.client.list(PODS)) if (pod.spec.nodeName === name) yield textOf(pod);
  }

  *#blockedIn(namespace: string): Iterable<string> {
    for (const [key, worker] of this.#workers) {
      if (worker.isBlocked && key.startsWith(`${namespace}/`)) yield key;
    }
  }

  protected async reconcile(pod: Pod): Promise<number | undefined> {
    const key = textOf(pod);
    const { nodeName } = pod.spec;
    if (!nodeName) return undefined;
    const node = this.client.find(NODES, { name: nodeName });
    if (!node) return this.#removeFromNowhere(pod);
    const known = this.#workers.get(key);
    if (known && known.pod.metadata.uid === pod.metadata.uid) {
      known.observe(pod, await this.#simulationOf(pod, key));
      return known.run();
    }
    if (known) await this.forget(key);
    if (isTerminal(pod.status?.phase) && !pod.metadata.deletionTimestamp) return undefined;
    const isNew = pod.status?.startTime === undefined && !pod.metadata.deletionTimestamp;
    if (isNew && (await this.#isRejected(pod, node))) return undefined;
    const worker = this.#workerFor(pod, key, await this.#simulationOf(pod, key));
    this.#workers.set(key, worker);
    return worker.run();
  }

  /** A pod whose node is gone has nobody who ends it. */
  async #removeFromNowhere({ metadata }: Pod): Promise<undefined> {
    const { uid = "", deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    if (!deletionTimestamp || deletionGracePeriodSeconds === 0) return;
    await unlessGone(this.client.remove(PODS, metadata, { gracePeriodSeconds: 0, uid }));
  }

  /** Whether the node cannot run the pod, which then has failed. */
  async #isRejected(pod: Pod, node: Node): Promise<boolean> {
    const others = [...this.#workers.values()]
      .map((worker) => worker.pod)
      .filter(
        ({ spec, status }) => spec.nodeName === node.metadata.name && !isTerminal(status?.phase),
      );
    const problem = admissionProblem(pod, node, others);
    if (!problem) return false;
    const { reason, message } = problem;
    const host = node.metadata.name ?? "";
    await this.events.record(pod, "Warning", reason, message.replace(/^Pod was rejected: /, ""), {
      host,
    });
    const { generation } = pod.metadata;
    const qosClass = pod.status?.qosClass;
    const conditions = pod.status?.conditions;
    await this.client.updateStatus(PODS, pod, {
      phase: "Failed",
      reason,
      message,
      ...present({ observedGeneration: generation, qosClass, conditions }),
    });
    return true;
  }

  #workerFor(pod: Pod, key: string, simulation: Simulation): PodWorker {
    const { client, events, clock } = this;
    const timing = this.#timing;
    const address = this.#addresses.of(key);
    const hostAddress = nodeAddress(pod.spec.nodeName ?? "");
    const relistPhaseMs = this.#relistPhaseMs;
    const setting = { client, events, clock, timing, relistPhaseMs, address, hostAddress };
    const runtime = recoveredRuntime(pod, simulation, timing.lifeMs);
    const parts = new PodParts(setting, pod, simulation, runtime);
    recoverMemory(parts);
    return new PodWorker(parts);
  }

  protected override async forget(key: string): Promise<undefined> {
    this.#addresses.free(key);
    this.#workers.delete(key);
    this.#misunderstood.delete(key);
  }

  /** The simulation in the pod's annotation; an annotation that is not understood causes an event, and is ignored. */
  async #simulationOf(pod: Pod, key: string): Promise<Simulation> {
    const simulation = simulationOf(pod);
    if (simulation) return simulation;
    const text = pod.metadata.annotations?.[SIMULATE] ?? "";
    if (this.#misunderstood.get(key) !== text) {
      this.#misunderstood.set(key, text);
      const message = `The annotation ${SIMULATE}: ${JSON.stringify(text)} is not understood and has no effect. It may be one of: ${SIMULATIONS}.`;
      await this.events.record(pod, "Warning", "SimulationNotUnderstood", message);
    }
    return { kind: "commands" };
  }
}
