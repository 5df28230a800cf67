/**
 * The filters of the scheduler, in the order and with the words of kube-scheduler's: the first that
 * rejects a node counts.
 *
 * @see https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { ControllerClient } from "../framework/client.ts";
import { type SchedulingClaims, isClaimTaken, volumeProblems } from "./claim-scheduling.ts";
import { hasPortConflict, shortagesOf } from "./node-fit.ts";
import { type NodeInfo, nameOf } from "./node-info.ts";
import { type AffinityProblem, PodAffinity } from "./pod-affinity.ts";
import {
  SCHEDULING_EFFECTS,
  isSelected,
  namedNodes,
  tolerates,
  untolerated,
} from "./pod-scheduling.ts";
import { TopologySpread } from "./topology-spread.ts";

/** Why a pod cannot be put on a node. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Whether the pod might fit if other pods left the node. */
  readonly isResolvable: boolean;
}

export const NODE_AFFINITY = "node(s) didn't match Pod's node affinity/selector";
export const NODE_PORTS = "node(s) didn't have free ports for the requested pod ports";

const UNSCHEDULABLE = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const SPREAD = "node(s) didn't match pod topology spread constraints";
const AFFINITY: Readonly<Record<AffinityProblem, string>> = {
  affinity: "node(s) didn't match pod affinity rules",
  "anti-affinity": "node(s) didn't match pod anti-affinity rules",
  "existing anti-affinity": "node(s) didn't satisfy existing pods anti-affinity rules",
};
const ONE_POD_CLAIM =
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

const forGood = (...reasons: string[]): Rejection => ({ reasons, isResolvable: false });
const forNow = (...reasons: string[]): Rejection => ({ reasons, isResolvable: true });

/** The search for a node for one pod, among the nodes as they are, or would be without some pods. */
export class SchedulingCycle {
  readonly #client: ControllerClient;
  readonly #claims: SchedulingClaims;
  readonly #affinity: PodAffinity;
  readonly #spread: TopologySpread;
  readonly #named: ReadonlySet<string> | undefined;
  readonly pod: Pod;
  readonly nodes: readonly NodeInfo[];

  constructor(
    client: ControllerClient,
    pod: Pod,
    nodes: readonly NodeInfo[],
    claims: SchedulingClaims,
  ) {
    this.#client = client;
    this.#claims = claims;
    this.pod = pod;
    this.nodes = nodes;
    this.#affinity = new PodAffinity(client, pod, nodes);
    this.#spread = new TopologySpread(pod, nodes);
    this.#named = namedNodes(pod.spec);
  }

  /** The same search with another state of one node. */
  with(changed: NodeInfo): SchedulingCycle {
    const nodes = this.nodes.map((info) => (info.node === changed.node ? changed : info));
    return new SchedulingCycle(this.#client, this.pod, nodes, this.#claims);
  }

  /** Why the pod cannot be put on a node; `undefined` when it can. */
  rejectionOf(info: NodeInfo): Rejection | undefined {
    const { node } = info;
    const { spec } = this.pod;
    const { tolerations = [] } = spec;
    if (this.#named && !this.#named.has(nameOf(node))) {
      return forGood("node(s) didn't satisfy plugin(s) [NodeAffinity]");
    }
    const isTolerated = tolerations.some((one) => tolerates(one, UNSCHEDULABLE));
    if (node.spec?.unschedulable === true && !isTolerated) {
      return forGood("node(s) were unschedulable");
    }
    if (untolerated(tolerations, node, SCHEDULING_EFFECTS)) {
      return forGood("node(s) had untolerated taint(s)");
    }
    if (!isSelected(spec, node)) return forGood(NODE_AFFINITY);
    if (hasPortConflict(this.pod, info)) return forNow(NODE_PORTS);
    return this.#shortage(info) ?? this.#volumes(info) ?? this.#neighbors(info);
  }

  #shortage(info: NodeInfo): Rejection | undefined {
    const shortages = shortagesOf(this.pod, info);
    if (shortages.length === 0) return undefined;
    const reasons = shortages.map(({ resource }) =>
      resource === "pods" ? "Too many pods" : `Insufficient ${resource}`,
    );
    const isResolvable = shortages.every(
      ({ resource, requested, capacity }) => resource === "pods" || requested <= capacity,
    );
    return { reasons, isResolvable };
  }

  #volumes({ node, pods }: NodeInfo): Rejection | undefined {
    const others = this.nodes.flatMap((info) => (info.node === node ? pods : info.pods));
    const runs = (other: Pod): boolean =>
      others.some(({ metadata }) => metadata.uid === other.metadata.uid);
    if (isClaimTaken(this.#client, this.pod, this.#claims, runs)) return forNow(ONE_POD_CLAIM);
    const problems = volumeProblems(this.#client, this.#claims, node);
    return problems.length > 0 ? forGood(...problems) : undefined;
  }

  #neighbors(info: NodeInfo): Rejection | undefined {
    const skew = this.#spread.problemOf(info);
    if (skew === "missing label") return forGood(`${SPREAD} (missing required label)`);
    if (skew) return forNow(SPREAD);
    const problem = this.#affinity.problemOf(info);
    if (!problem) return undefined;
    return problem === "affinity" ? forGood(AFFINITY[problem]) : forNow(AFFINITY[problem]);
  }
}

/** The part of a message that counts the reasons of all nodes. */
export function countedReasons(rejections: readonly Rejection[]): string {
  const counts = new Map<string, number>();
  for (const reason of rejections.flatMap(({ reasons }) => reasons)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
