/**
 * The simulated kubelets: pods with a node have their volumes mounted, run, become ready, finish
 * and are removed.
 *
 * Nothing is executed. Pods wait for the objects that they refer to, containers follow their
 * command if it is one of the few that are understood, and the annotation `tsop.dev/simulate`
 * scripts other behaviour.
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
import { isFinished } from "../pods/pods.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { type Note, type Step, warning } from "./container-step.ts";
import { environmentProblem, mountProblems } from "./missing-references.ts";
import { endedPodStatus, nextPodStep } from "./pod-step.ts";
import { ReadinessProbes } from "./readiness-probes.ts";
import { SIMULATE, SIMULATIONS, simulationOf, type Simulation } from "./simulation.ts";

/** How many addresses there are for pods. */
const COUNT = 65_000;

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
        .filter((key) => this.#waiting.has(key)),
    ),
    ...[SECRETS, CONFIG_MAPS].map((resource: ResourceName) =>
      watch(resource, ({ object: { metadata } }) =>
        [...this.#waiting.keys()].filter((key) => key.startsWith(`${metadata.namespace ?? ""}/`)),
      ),
    ),
  ];
  readonly #addresses = new PodAddresses();
  readonly #probes = new ReadinessProbes();
  /** Pods that wait for an object they refer to, by key, and the problems last reported. */
  readonly #waiting = new Map<string, string>();
  /** The keys of pods whose annotation is not understood, and whose event was recorded. */
  readonly #misunderstood = new Map<string, string>();

  *#podsOf({ metadata: { name } }: Node): Iterable<string> {
    for (const pod of this.client.list(PODS)) if (pod.spec.nodeName === name) yield textOf(pod);
  }

  protected async reconcile(pod: Pod): Promise<number | undefined> {
    if (pod.metadata.deletionTimestamp) await this.#finishDeletion(pod);
    else if (pod.spec.nodeName && !isFinished(pod)) return this.#run(pod, textOf(pod));
    return undefined;
  }

  protected override async forget(key: string): Promise<undefined> {
    this.#addresses.free(key);
    this.#probes.forget(key);
    this.#waiting.delete(key);
    this.#misunderstood.delete(key);
  }

  async #finishDeletion(pod: Pod): Promise<void> {
    const { uid = "", deletionGracePeriodSeconds, finalizers } = pod.metadata;
    if (!pod.spec.nodeName) return;
    // A finalizer on the pod waits for the pod's end.
    if (finalizers?.length && !isFinished(pod)) {
      await this.client.updateStatus(PODS, pod, endedPodStatus(pod, this.clock.now()));
    }
    if (deletionGracePeriodSeconds === 0) return;
    await unlessGone(this.client.remove(PODS, pod.metadata, { gracePeriodSeconds: 0, uid }));
  }

  async #run(pod: Pod, key: string): Promise<number | undefined> {
    const { nodeName = "" } = pod.spec;
    if (!this.client.find(NODES, { name: nodeName })) return undefined;
    const nowMs = this.clock.now();
    const simulation = await this.#simulationOf(pod, key);
    const isProcess = simulation.kind === "process";
    const asked: Omit<Step, "status"> = isProcess
      ? await this.#probes.ask(pod, simulation, nowMs)
      : { notes: [] };
    const problems = pod.status?.phase === "Running" ? [] : mountProblems(this.client, pod);
    const step = nextPodStep(pod, {
      simulation,
      nowMs,
      isMounted: problems.length === 0,
      environmentProblem: (container) => environmentProblem(this.client, pod, container),
      probed: (container) => (isProcess ? this.#probes.isReady(key, container) : undefined),
      podAddress: this.#addresses.of(key),
      hostAddress: nodeAddress(nodeName),
    });
    const mounts = problems.map((message) => warning("FailedMount", message));
    const notes = [...asked.notes, ...this.#news(key, [...mounts, ...step.notes])];
    await this.client.updateStatus(PODS, pod, step.status);
    for (const { type, reason, message } of notes) {
      await this.events.record(pod, type, reason, message);
    }
    const wakeAtMs = Math.min(asked.wakeAtMs ?? Infinity, step.wakeAtMs ?? Infinity);
    return wakeAtMs === Infinity ? undefined : Math.max(1, wakeAtMs - nowMs);
  }

  /** The events to record; the problems of a pod are recorded only when they change. */
  #news(key: string, notes: readonly Note[]): readonly Note[] {
    const isProblem = ({ reason }: Note): boolean =>
      reason === "FailedMount" || reason === "Failed";
    const problems = notes.filter(isProblem);
    const text = JSON.stringify(problems);
    const before = this.#waiting.get(key);
    if (problems.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, text);
    return before === text ? notes.filter((note) => !isProblem(note)) : notes;
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

/** Assigns each pod an address of its own, out of 10.244.0.0/16, until the pod is gone. */
class PodAddresses {
  readonly #numbers = new Map<string, number>();
  readonly #used = new Set<number>();
  #last = 0;

  /** The address of a pod, by its `namespace/name`. */
  of(pod: string): string {
    let number = this.#numbers.get(pod);
    if (number === undefined) {
      do this.#last = (this.#last % COUNT) + 1;
      while (this.#used.has(this.#last));
      number = this.#last;
      this.#numbers.set(pod, number);
      this.#used.add(number);
    }
    return `10.244.${number >> 8}.${number & 255}`;
  }

  /** Releases a pod's address. */
  free(pod: string): void {
    const number = this.#numbers.get(pod);
    if (number === undefined) return;
    this.#numbers.delete(pod);
    this.#used.delete(number);
  }
}
