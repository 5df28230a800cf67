import { randomBytes } from "node:crypto";
import {
  controllerFor,
  isAlreadyExists,
  isConflict,
  isControlledBy,
  isNotFound,
  keyOf,
  mergePatch,
  removeFinalizer,
  setCondition,
  setControllerReference,
  type Client,
  type ConditionChange,
  type Dependents,
  type DependentsState,
  type EventRecorder,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "tsop";
import { PersistentVolumeClaim, Pod, Secret } from "tsop/k8s";
import { PostgreSQLCluster } from "../api/v1/postgresqlcluster.ts";
import { decide, type Decision, type Ending } from "./decision.ts";
import { PodInstances, type Instances } from "./instances.ts";
import {
  claimFor,
  FENCE,
  hasEnded,
  isLeaving,
  isReady,
  labelsOf,
  namesOf,
  numberOf,
  podFor,
  ROLE,
} from "./members.ts";
import { KINDS, partsOf } from "./parts.ts";

const LOOK_AGAIN_MS = 5000;

/** What the reconciler works with. */
export interface PostgreSQLClusterParts {
  readonly client: Client;
  readonly parts: Dependents<PostgreSQLCluster>;
  readonly instances: Instances;
  readonly events: EventRecorder;
}

/** Makes the cluster match the spec of each PostgreSQLCluster. */
export class PostgreSQLClusterReconciler implements Reconciler<PostgreSQLCluster> {
  readonly #client: Client;
  readonly #parts: Dependents<PostgreSQLCluster>;
  readonly #instances: Instances;
  readonly #events: EventRecorder;

  constructor({ client, parts, instances, events }: PostgreSQLClusterParts) {
    this.#client = client;
    this.#parts = parts;
    this.#instances = instances;
    this.#events = events;
  }

  async reconcile({ key }: Request, context: ReconcileContext): Promise<Outcome> {
    // What is decided here must be true, and not have been true when a cache heard of it last.
    const cluster = await this.#client.live.find(PostgreSQLCluster, key);
    if (!cluster) return;
    await this.#makeSecret(cluster);
    if (!cluster.status?.primary) await this.#makeClaim(cluster, 1);
    const state = await this.#parts.reconcile(cluster, context.signal);
    if (!state.ready && !cluster.status?.primary) {
      await this.#report(cluster, [], waitingFor(state), context.nowMs);
      return;
    }
    const pods = await this.#podsOf(cluster);
    const decision = decide({ cluster, pods, nowMs: context.nowMs });
    let failure: Error | undefined;
    const againMs = await this.#carryOut(cluster, pods, decision, context.signal).catch(
      (error: unknown) => {
        failure = error instanceof Error ? error : new Error(String(error));
        return undefined;
      },
    );
    // The status first, then the error: what stops this reconcile must not hide how the members are.
    const isStale = isConflict(failure) || context.signal.aborted;
    const ready = failure ? failed(failure) : readiness(decision);
    if (!isStale) await this.#report(cluster, pods, ready, context.nowMs);
    if (failure) throw failure;
    return againMs === undefined ? undefined : { requeueAfterMs: againMs };
  }

  /** Pods have a finalizer, so somebody must see them end. The rest is the garbage collector's. */
  async cleanup(cluster: PostgreSQLCluster): Promise<Outcome> {
    const pods = await this.#podsOf(cluster);
    for (const pod of pods) {
      if (hasEnded(pod)) await this.#release(pod);
      else await this.#end(cluster, { pod, why: "the cluster is deleted" });
    }
    return pods.length === 0 ? undefined : { requeueAfterMs: LOOK_AGAIN_MS };
  }

  /** @returns when to look again */
  async #carryOut(
    cluster: PostgreSQLCluster,
    pods: readonly Pod[],
    decision: Decision,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    let { againMs } = decision;
    for (const pod of decision.release) await this.#release(pod);
    for (const ending of decision.end) await this.#end(cluster, ending);
    for (const number of decision.create) {
      if (await this.#makeClaim(cluster, number)) await this.#makePod(cluster, number);
      else againMs = LOOK_AGAIN_MS;
    }
    if (decision.mayDropClaims) await this.#dropClaims(cluster, pods);
    const primary = (await this.#elect(cluster, decision.elect, signal)) ?? decision.primary;
    if (!primary || !isReady(primary)) return againMs;
    if (primary.metadata.labels?.[ROLE] !== "primary") {
      const labels = { [ROLE]: "primary" };
      await this.#client.patch(Pod, keyOf(primary), mergePatch({ metadata: { labels } }), {
        optimisticLock: primary,
      });
    }
    await this.#instances.promote(primary, signal);
    return againMs;
  }

  /**
   * Records who may accept writes, before it does. The lock has each record follow from the one before, of whose pod is
   * known that it has ended: whoever records at the same time, one of them fails.
   */
  async #elect(
    cluster: PostgreSQLCluster,
    candidates: readonly Pod[],
    signal: AbortSignal,
  ): Promise<Pod | undefined> {
    const pod = await this.#newest(candidates, signal);
    if (!pod) return undefined;
    const primary = { pod: pod.metadata.name, uid: pod.metadata.uid };
    await this.#client.status.patch(cluster, { primary }, { optimisticLock: true });
    const message = `Pod ${primary.pod} becomes the primary.`;
    this.#events.event(cluster, { type: "Normal", reason: "Elected", action: "Elect", message });
    return pod;
  }

  /** The member that has most of the log, of those that answer. */
  async #newest(candidates: readonly Pod[], signal: AbortSignal): Promise<Pod | undefined> {
    const [only, ...others] = candidates;
    if (others.length === 0) return only;
    const asked = candidates.map(async (pod) => ({
      pod,
      position: await this.#instances.position(pod, signal),
    }));
    const answers = await Promise.allSettled(asked);
    const known = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const errors: unknown[] = [];
    for (const one of answers) if (one.status === "rejected") errors.push(one.reason);
    if (known.length === 0) throw new AggregateError(errors, "no member says how far it is");
    return known.sort((one, other) => other.position - one.position)[0]?.pod;
  }

  async #podsOf(cluster: PostgreSQLCluster): Promise<Pod[]> {
    const { namespace } = cluster.metadata;
    const pods = await this.#client.live.list(Pod, { namespace, labels: labelsOf(cluster) });
    return pods.filter((pod) => isControlledBy(pod, { owner: cluster }));
  }

  /** Nobody but the kubelet knows when it has ended: until then its object stays. */
  async #end(cluster: PostgreSQLCluster, { pod, why }: Ending): Promise<void> {
    if (isLeaving(pod)) return;
    const { name, uid } = pod.metadata;
    const message = `Ends pod ${name}: ${why}.`;
    this.#events.event(cluster, { type: "Normal", reason: "Ending", action: "End", message });
    await this.#client.delete(Pod, keyOf(pod), { preconditions: { uid } }).catch(unlessGone);
  }

  async #release(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    if (!isLeaving(pod)) {
      await this.#client.delete(Pod, keyOf(pod), { preconditions: { uid } }).catch(unlessGone);
      // Its event brings it back, with the version that the lock needs.
      return;
    }
    await removeFinalizer(this.#client, Pod, pod, FENCE).catch(unlessGone);
  }

  async #makePod(cluster: PostgreSQLCluster, number: number): Promise<void> {
    const pod = podFor(cluster, number);
    setControllerReference(pod, { owner: cluster });
    await this.#client.create(Pod, pod).catch(unlessThere);
  }

  /** @returns whether it is there, and not on its way out */
  async #makeClaim(cluster: PostgreSQLCluster, number: number): Promise<boolean> {
    const claim = claimFor(cluster, number);
    const made = await this.#client.apply(PersistentVolumeClaim, claim, { owner: cluster });
    return made.metadata.deletionTimestamp === undefined;
  }

  async #dropClaims(cluster: PostgreSQLCluster, pods: readonly Pod[]): Promise<void> {
    const { namespace } = cluster.metadata;
    const labels = labelsOf(cluster);
    const claims = await this.#client.list(PersistentVolumeClaim, { namespace, labels });
    for (const claim of claims) {
      const number = numberOf(claim);
      const isWanted = number <= cluster.spec.instances;
      if (isWanted || claim.metadata.deletionTimestamp !== undefined) continue;
      if (!isControlledBy(claim, { owner: cluster })) continue;
      if (pods.some((pod) => numberOf(pod) === number)) continue;
      const { uid } = claim.metadata;
      const options = { preconditions: { uid } };
      await this.#client.delete(PersistentVolumeClaim, keyOf(claim), options).catch(unlessGone);
    }
  }

  /** Passwords are made once, and never again. */
  async #makeSecret(cluster: PostgreSQLCluster): Promise<void> {
    const key = { namespace: cluster.metadata.namespace, name: namesOf(cluster).owner };
    if (await this.#client.live.find(Secret, key)) return;
    const password = (): string => randomBytes(24).toString("base64url");
    const { initdb } = cluster.spec.bootstrap;
    const secret = {
      metadata: { ...key, labels: labelsOf(cluster) },
      stringData: {
        host: namesOf(cluster).primary,
        ...(initdb && { database: initdb.database, username: initdb.owner }),
        owner: password(),
        postgres: password(),
      },
    };
    setControllerReference(secret, { owner: cluster });
    await this.#client.create(Secret, secret).catch(unlessThere);
  }

  async #report(
    cluster: PostgreSQLCluster,
    pods: readonly Pod[],
    ready: ConditionChange,
    nowMs: number,
  ): Promise<void> {
    const { generation } = cluster.metadata;
    const change = { ...ready, observedGeneration: generation };
    await this.#client.status.patch(cluster, (status) => ({
      instances: pods.length,
      readyInstances: pods.filter(isReady).length,
      observedGeneration: generation,
      conditions: setCondition(status?.conditions, change, nowMs),
    }));
  }
}

function readiness({ waitingFor, elect }: Decision): ConditionChange {
  const type = "Ready";
  if (waitingFor) return { type, status: "False", ...waitingFor };
  const message = "A new primary takes over.";
  if (elect.length > 0) return { type, status: "False", reason: "Elected", message };
  return { type, status: "True", reason: "Running", message: "All members run." };
}

function failed({ message }: Error): ConditionChange {
  return { type: "Ready", status: "False", reason: "Failed", message: message.slice(0, 1000) };
}

function waitingFor({ waitingFor: parts }: DependentsState): ConditionChange {
  const message = `Waits for ${parts.join(", ")}.`;
  return { type: "Ready", status: "False", reason: "Bootstrapping", message };
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}

/** Registers the PostgreSQLCluster controller with the manager. */
export function setUpPostgreSQLCluster(
  manager: Manager,
  instances: Instances = new PodInstances(manager.client),
): void {
  const { client } = manager;
  const builder = controllerFor(manager)
    .for(PostgreSQLCluster)
    .owns(Pod)
    .owns(PersistentVolumeClaim);
  const parts = builder.dependents({ kinds: KINDS, desired: partsOf });
  const events = manager.recorder("postgresqlcluster");
  builder.complete(new PostgreSQLClusterReconciler({ client, parts, instances, events }));
}
