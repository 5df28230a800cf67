/**
 * DaemonSets: a pod on each node that fits.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../clock.ts";
import { messageOf } from "../../../errors.ts";
import type { Pod } from "../../builtin/strategies/pod-shapes.ts";
import type { IntOrString, Node } from "../../builtin/strategies/shapes.ts";
import type { DaemonSet } from "../../builtin/strategies/workload-shapes.ts";
import { unlessGone } from "../absence.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import type { EventRecorder } from "../event-recorder.ts";
import { DAEMON_SETS, NODES, PODS, concerns, keyFrom, textOf } from "../keys.ts";
import { type OwnerKind, claimed, ownersOf } from "../ownership.ts";
import { availableInMs, isReady } from "../pods.ts";
import { RevisionHistory } from "../revision-history.ts";
import type { Controller } from "../work-loop.ts";
import { HASH_LABEL, TEMPLATE_GENERATION, daemonPod, fit, targetOf } from "./daemon-nodes.ts";

const KIND: OwnerKind = { apiVersion: "apps/v1", kind: "DaemonSet", resource: DAEMON_SETS };

/** The pods of a set, by the node that they are for; the oldest first. */
type Placement = ReadonlyMap<string, readonly Pod[]>;

/** Creates, replaces and deletes the pods of DaemonSets. */
export class DaemonSetController implements Controller {
  readonly name = "DaemonSet";
  readonly watches = [DAEMON_SETS, NODES, PODS];
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;

  constructor(client: ControllerClient, events: EventRecorder, clock: Clock) {
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, DAEMON_SETS)) yield textOf(event.object);
    if (concerns(event, NODES)) {
      for (const set of this.#client.list(DAEMON_SETS)) yield textOf(set);
    }
    yield* ownersOf(this.#client, event, PODS, KIND, (set) => (set as DaemonSet).spec.selector);
  }

  async sync(key: string): Promise<number | undefined> {
    const set = this.#client.find(DAEMON_SETS, keyFrom(key)) as DaemonSet | undefined;
    if (!set || set.metadata.deletionTimestamp) return undefined;
    const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
    const history = new RevisionHistory(this.#client, set, {
      kind: KIND,
      hashLabel: HASH_LABEL,
      ...(generation === undefined ? {} : { annotations: { [TEMPLATE_GENERATION]: generation } }),
    });
    const revisions = await history.list();
    const current = await history.current(revisions);
    const hash = current.metadata.labels?.[HASH_LABEL] ?? "";
    const nodes = this.#client.list(NODES) as readonly Node[];
    const before = await this.#placement(set);
    let failure: unknown;
    try {
      await this.#place(set, nodes, before, hash);
      await this.#roll(set, nodes, await this.#placement(set), hash);
    } catch (thrown) {
      failure = thrown;
    }
    const placement = await this.#placement(set);
    const againMs = await this.#writeStatus(set, nodes, placement, hash);
    const hashes = [...placement.values()].flat().map((pod) => pod.metadata.labels?.[HASH_LABEL]);
    const inUse = revisions
      .filter(({ metadata }) => hashes.includes(metadata.labels?.[HASH_LABEL]))
      .map(({ metadata }) => metadata.name ?? "");
    await history.truncate(revisions, new Set([...inUse, current.metadata.name ?? ""]));
    if (failure !== undefined) {
      throw failure instanceof Error ? failure : new Error(messageOf(failure));
    }
    return againMs;
  }

  async #placement(set: DaemonSet): Promise<Placement> {
    const pods = (await claimed({
      client: this.#client,
      owner: set,
      kind: KIND,
      resource: PODS,
      selector: set.spec.selector,
    })) as Pod[];
    const byNode = new Map<string, Pod[]>();
    for (const pod of pods) {
      const node = targetOf(pod);
      if (node === undefined) continue;
      const list = byNode.get(node) ?? [];
      list.push(pod);
      byNode.set(node, list);
    }
    const created = (pod: Pod): string => pod.metadata.creationTimestamp ?? "";
    for (const list of byNode.values()) {
      list.sort((left, right) => created(left).localeCompare(created(right)));
    }
    return byNode;
  }

  /** One pod where the set fits, none where it does not. */
  async #place(
    set: DaemonSet,
    nodes: readonly Node[],
    placement: Placement,
    hash: string,
  ): Promise<void> {
    for (const node of nodes) {
      const name = node.metadata.name ?? "";
      const pods = placement.get(name) ?? [];
      const { runs, stays } = fit(set, node);
      if (!stays) {
        for (const pod of pods) await this.#delete(set, pod);
        continue;
      }
      const failed = pods.filter((pod) => isOut(pod) && !pod.metadata.deletionTimestamp);
      for (const pod of failed) await this.#replaceFailed(set, pod, name);
      const living = pods.filter((pod) => !isOut(pod) && !pod.metadata.deletionTimestamp);
      if (runs && pods.length === failed.length) await this.#create(set, name, hash);
      for (const pod of surplusOf(set, living, hash)) await this.#delete(set, pod);
    }
    const known = new Set(nodes.map(({ metadata }) => metadata.name ?? ""));
    for (const [node, pods] of placement) {
      if (known.has(node)) continue;
      for (const pod of pods) await this.#delete(set, pod);
    }
  }

  async #replaceFailed(set: DaemonSet, pod: Pod, node: string): Promise<void> {
    const { namespace = "", name = "" } = pod.metadata;
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    await this.#events.record(set, "Warning", "FailedDaemonPod", message);
    await this.#delete(set, pod);
  }

  /** Replaces pods of old templates, as many at a time as the strategy allows. */
  async #roll(
    set: DaemonSet,
    nodes: readonly Node[],
    placement: Placement,
    hash: string,
  ): Promise<void> {
    const { type, rollingUpdate = {} } = set.spec.updateStrategy;
    if (type === "OnDelete") return;
    const wanted = nodes.filter((node) => fit(set, node).runs);
    const surge = share(rollingUpdate.maxSurge ?? 0, wanted.length);
    const now = this.#clock.now();
    const seconds = set.spec.minReadySeconds ?? 0;
    const isAvailable = (pod: Pod): boolean => availableInMs(pod, seconds, now) === 0;
    const spots = wanted.map(({ metadata }) => {
      const living = (placement.get(metadata.name ?? "") ?? []).filter(
        (pod) => !pod.metadata.deletionTimestamp,
      );
      const isNew = (pod: Pod): boolean => pod.metadata.labels?.[HASH_LABEL] === hash;
      return {
        node: metadata.name ?? "",
        old: living.find((pod) => !isNew(pod)),
        fresh: living.find(isNew),
      };
    });
    if (surge > 0) {
      let surging = spots.filter(({ old, fresh }) => old && fresh).length;
      for (const { node, old, fresh } of spots) {
        if (!old) continue;
        if (fresh) {
          if (isAvailable(fresh)) await this.#delete(set, old);
        } else if (!isAvailable(old) || surging < surge) {
          await this.#create(set, node, hash);
          surging++;
        }
      }
      return;
    }
    const allowed = Math.max(1, share(rollingUpdate.maxUnavailable ?? 1, wanted.length));
    let unavailable = spots.filter(
      ({ old, fresh }) => !(old && isAvailable(old)) && !(fresh && isAvailable(fresh)),
    ).length;
    for (const { old } of spots) {
      if (!old) continue;
      if (!isAvailable(old)) await this.#delete(set, old);
      else if (unavailable < allowed) {
        unavailable++;
        await this.#delete(set, old);
      }
    }
  }

  async #create(set: DaemonSet, node: string, hash: string): Promise<void> {
    try {
      const { metadata } = await this.#client.create(PODS, daemonPod(set, KIND, node, hash));
      const message = `Created pod: ${metadata.name ?? ""}`;
      await this.#events.record(set, "Normal", "SuccessfulCreate", message);
    } catch (thrown) {
      const message = `Error creating: ${messageOf(thrown)}`;
      await this.#events.record(set, "Warning", "FailedCreate", message);
      throw thrown;
    }
  }

  async #delete(set: DaemonSet, pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp) return;
    if (await unlessGone(this.#client.remove(PODS, { namespace, name }, { uid }))) {
      await this.#events.record(set, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    }
  }

  async #writeStatus(
    set: DaemonSet,
    nodes: readonly Node[],
    placement: Placement,
    hash: string,
  ): Promise<number | undefined> {
    const now = this.#clock.now();
    const seconds = set.spec.minReadySeconds ?? 0;
    const counts = { desired: 0, current: 0, mis: 0, ready: 0, available: 0, updated: 0 };
    let againMs: number | undefined;
    for (const node of nodes) {
      const pods = placement.get(node.metadata.name ?? "") ?? [];
      if (!fit(set, node).runs) {
        if (pods.length > 0) counts.mis++;
        continue;
      }
      counts.desired++;
      const [pod] = pods;
      if (!pod) continue;
      counts.current++;
      if (pods.some((one) => isReady(one) && !one.metadata.deletionTimestamp)) counts.ready++;
      const waits = pods
        .filter(({ metadata }) => !metadata.deletionTimestamp)
        .map((one) => availableInMs(one, seconds, now))
        .filter((ms) => ms !== undefined);
      if (waits.includes(0)) counts.available++;
      else if (waits.length > 0) againMs = Math.min(againMs ?? Infinity, ...waits);
      const newest = pods.findLast(({ metadata }) => !metadata.deletionTimestamp) ?? pod;
      if (newest.metadata.labels?.[HASH_LABEL] === hash) counts.updated++;
    }
    const missing = counts.desired - counts.available;
    const status: NonNullable<DaemonSet["status"]> = {
      currentNumberScheduled: counts.current,
      numberMisscheduled: counts.mis,
      desiredNumberScheduled: counts.desired,
      numberReady: counts.ready,
      observedGeneration: set.metadata.generation ?? 0,
      ...(counts.updated > 0 ? { updatedNumberScheduled: counts.updated } : {}),
      ...(counts.available > 0 ? { numberAvailable: counts.available } : {}),
      ...(missing > 0 ? { numberUnavailable: missing } : {}),
      ...(set.status?.collisionCount ? { collisionCount: set.status.collisionCount } : {}),
    };
    if (!isDeepStrictEqual(structuredClone(set.status), status)) {
      await this.#client.update(DAEMON_SETS, { ...set, status } as DaemonSet, "status");
    }
    return againMs;
  }
}

const isOut = ({ status }: Pod): boolean =>
  status?.phase === "Failed" || status?.phase === "Succeeded";

/** Of several pods on one node all but the oldest go; while surging, one of each template stays. */
function surplusOf(set: DaemonSet, pods: readonly Pod[], hash: string): readonly Pod[] {
  if (share(set.spec.updateStrategy.rollingUpdate?.maxSurge ?? 0, 1) === 0) return pods.slice(1);
  const isNew = (pod: Pod): boolean => pod.metadata.labels?.[HASH_LABEL] === hash;
  return [...pods.filter(isNew).slice(1), ...pods.filter((pod) => !isNew(pod)).slice(1)];
}

/** A count, or a part of `total` rounded up. */
function share(value: IntOrString, total: number): number {
  if (typeof value === "number") return value;
  return Math.ceil((Number.parseInt(value, 10) * total) / 100);
}
