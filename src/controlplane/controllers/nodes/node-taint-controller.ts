/**
 * Taints that follow from a node's conditions, and the eviction of pods that do not tolerate one.
 *
 * @see
 * https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions
 */
import type { Toleration } from "../../builtin/shared/pods/pod-shapes.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import { unlessGone } from "../framework/absence.ts";
import type { StoreEvent } from "../framework/client.ts";
import { keyFrom, textOf } from "../framework/keys.ts";
import { NODES, PODS } from "../../builtin/tokens.ts";
import { tolerates } from "../scheduler/pod-scheduling.ts";
import { type Disruption, disruptionPatch } from "../pods/disruption.ts";
import { isFinished } from "../pods/pods.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { tableOf } from "../../../table.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

const PREFIX = "node.kubernetes.io/";
/** For how many seconds a kubelet may cache secrets: 0 in a small cluster. */
const TTL = "node.alpha.kubernetes.io/ttl";
const PRESSURES = tableOf<string>({
  MemoryPressure: "memory-pressure",
  DiskPressure: "disk-pressure",
  PIDPressure: "pid-pressure",
  NetworkUnavailable: "network-unavailable",
});
/** The `NoSchedule` taints that this controller owns. */
const OWN: ReadonlySet<string> = new Set(
  ["not-ready", "unreachable", "unschedulable", ...PRESSURES.values()].map(
    (name) => `${PREFIX}${name}`,
  ),
);

/** The taints that evict, by the status of a node's condition Ready. */
const EVICTING = tableOf<string>({
  False: `${PREFIX}not-ready`,
  Unknown: `${PREFIX}unreachable`,
});

const EVICTION: Disruption = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

/** Sets the taints of nodes, and evicts pods. Keys are `/node` and `namespace/pod`. */
export class NodeTaintController extends ObjectController<Node> {
  readonly name = "NodeTaint";
  readonly resource = NODES;
  readonly watches = [watch(PODS), watch(NODES), watch(NODES, (event) => this.#concernedBy(event))];
  /** Since when a pod is on a node with a taint that it tolerates for a limited time. */
  readonly #since = new Map<string, number>();

  /** Other nodes, and the pods of a node that evicts. */
  *#concernedBy({ object, old }: StoreEvent<Node>): Iterable<string> {
    // Whether a node evicts depends on the state of the other nodes.
    if (readinessOf(object) !== readinessOf(old)) yield* this.client.list(NODES).map(textOf);
    const evicting = (node: Node | undefined): boolean =>
      node?.spec?.taints?.some(({ effect }) => effect === "NoExecute") === true;
    if (!evicting(object) && !evicting(old)) return;
    for (const pod of this.client.list(PODS)) {
      if (pod.spec.nodeName === object.metadata.name) yield textOf(pod);
    }
  }

  override async sync(key: string): Promise<number | undefined> {
    return key.startsWith("/") ? super.sync(key) : this.#syncPod(key);
  }

  protected async reconcile(node: Node): Promise<undefined> {
    if (node.metadata.deletionTimestamp) return;
    if (node.metadata.annotations?.[TTL] === undefined) {
      const metadata = { annotations: { [TTL]: "0" } };
      await this.client.patch(NODES, node.metadata, { metadata });
    }
    const taints = node.spec?.taints ?? [];
    const wanted = [...conditionTaints(node), ...this.#evictingTaints(node)];
    const isOwn = ({ key: own, effect }: Taint): boolean =>
      effect === "NoSchedule"
        ? OWN.has(own)
        : effect === "NoExecute" &&
          [...EVICTING.values()].includes(own) &&
          readinessOf(node) !== undefined;
    const isSame = (one: Taint, other: Taint): boolean =>
      one.key === other.key && one.effect === other.effect;
    const others = taints.filter((taint) => !isOwn(taint));
    const kept = taints.filter((taint) => isOwn(taint) && wanted.some((one) => isSame(one, taint)));
    const timeAdded = timeOf(this.clock.now());
    const added = wanted
      .filter((taint) => !kept.some((one) => isSame(one, taint)))
      .map((taint) => ({ ...taint, timeAdded }));
    const next = [...others, ...kept, ...added];
    if (added.length === 0 && next.length === taints.length) return;
    const spec = { taints: next.length > 0 ? next : null };
    await this.client.patch(NODES, node.metadata, { spec });
  }

  /** The evicting taints of a node that is not ready. None when no node is ready: then the nodes are not at fault. */
  #evictingTaints(node: Node): Taint[] {
    const key = EVICTING.get(readinessOf(node) ?? "");
    const nodes = this.client.list(NODES);
    const isAlone = nodes.every((other) => readinessOf(other) !== "True");
    return key === undefined || isAlone ? [] : [{ key, effect: "NoExecute" }];
  }

  async #syncPod(key: string): Promise<number | undefined> {
    const pod = this.client.find(PODS, keyFrom(key));
    const node = pod?.spec.nodeName
      ? this.client.find(NODES, { name: pod.spec.nodeName })
      : undefined;
    const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    const isOver = !pod || pod.metadata.deletionTimestamp !== undefined || isFinished(pod);
    const seconds = isOver ? undefined : patienceOf(pod.spec.tolerations ?? [], taints);
    if (isOver || seconds === undefined) {
      const wasMarked = this.#since.delete(key);
      if (wasMarked && !isOver) await this.#tell(pod, "Cancelling deletion of");
      return undefined;
    }
    const since = this.#since.get(key) ?? startOf(taints) ?? this.clock.now();
    this.#since.set(key, since);
    const leftMs = since + seconds * 1000 - this.clock.now();
    if (leftMs > 0) return leftMs;
    const { uid = "" } = pod.metadata;
    await this.#tell(pod, "Marking for deletion");
    const patch = disruptionPatch(pod, EVICTION, this.clock.now());
    if (!(await unlessGone(this.client.patch(PODS, pod.metadata, patch, "status"))))
      return undefined;
    await unlessGone(this.client.remove(PODS, pod.metadata, { uid }));
    return undefined;
  }

  #tell(pod: Pod, what: string): Promise<void> {
    const { namespace = "", name = "" } = pod.metadata;
    const message = `${what} Pod ${namespace}/${name}`;
    return this.events.record(pod, "Normal", "TaintManagerEviction", message);
  }
}

const readinessOf = (node: Node | undefined): string | undefined =>
  node?.status?.conditions?.find(({ type }) => type === "Ready")?.status;

function conditionTaints({ spec, status }: Node): Taint[] {
  const names: string[] = [];
  for (const { type, status: state } of status?.conditions ?? []) {
    if (type === "Ready" && state === "False") names.push("not-ready");
    if (type === "Ready" && state === "Unknown") names.push("unreachable");
    const pressure = PRESSURES.get(type);
    if (pressure !== undefined && state === "True") names.push(pressure);
  }
  if (spec?.unschedulable === true) names.push("unschedulable");
  return names.map((name) => ({ key: `${PREFIX}${name}`, effect: "NoSchedule" }));
}

/** How many seconds the pod tolerates all these taints; `undefined` for ever, as it does none. */
function patienceOf(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
): number | undefined {
  const bearing = taints.map((taint) => tolerations.filter((one) => tolerates(one, taint)));
  if (bearing.some((found) => found.length === 0)) return 0;
  const seconds = bearing.flat().flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds));
}

const startOf = (taints: readonly Taint[]): number | undefined => {
  const times = taints.map(({ timeAdded }) => msOf(timeAdded)).filter((ms) => ms > 0);
  return times.length > 0 ? Math.min(...times) : undefined;
};
