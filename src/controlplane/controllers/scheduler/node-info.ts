/** The nodes of a cluster with the pods that take a part of them, as of one scheduling decision. */
import { parseQuantity } from "../../../kube/values/quantity.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { podRequests } from "../../builtin/shared/pods/resources.ts";
import { NODES, PODS } from "../../builtin/tokens.ts";
import type { ControllerClient } from "../framework/client.ts";
import { byName } from "../framework/keys.ts";
import { isFinished } from "../pods/pods.ts";

/** Amounts of resources in billionths, by their names. */
type Amounts = ReadonlyMap<string, bigint>;

/** A port of a node that a pod takes. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** The part of a node that a pod takes. */
export interface PodShare {
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
}

export interface NodeInfo {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly allocatable: Amounts;
  readonly requested: Amounts;
}

const NONE: Amounts = new Map();
/** Stored pods never change, so that their shares don't either. */
const SHARES = new WeakMap<Pod, PodShare>();
const ANY_ADDRESS = "0.0.0.0";

/** The part of a node that the pod takes. */
export function shareOf(pod: Pod): PodShare {
  const known = SHARES.get(pod);
  if (known) return known;
  const share = { requests: amountsOf(podRequests(pod.spec)), ports: hostPortsOf(pod) };
  SHARES.set(pod, share);
  return share;
}

/** The node and what pods take of it; finished pods take nothing. */
export function nodeInfo(node: Node, pods: readonly Pod[]): NodeInfo {
  const placed = pods.filter((pod) => !isFinished(pod));
  const requested = new Map<string, bigint>();
  for (const pod of placed) {
    for (const [name, amount] of shareOf(pod).requests) {
      requested.set(name, (requested.get(name) ?? 0n) + amount);
    }
  }
  const allocatable = amountsOf(node.status?.allocatable ?? {});
  return { node, pods: placed, allocatable, requested };
}

/** The nodes that pods may be put on, by name. */
export function nodeInfos(client: ControllerClient): NodeInfo[] {
  const placed = new Map<string, Pod[]>();
  for (const pod of client.list(PODS)) {
    const { nodeName = "" } = pod.spec;
    const known = placed.get(nodeName);
    if (known) known.push(pod);
    else placed.set(nodeName, [pod]);
  }
  return client
    .list(NODES)
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .toSorted(byName)
    .map((node) => nodeInfo(node, placed.get(nameOf(node)) ?? []));
}

export const nameOf = ({ metadata }: Node): string => metadata.name ?? "";

/** Whether two ports of one node exclude each other. */
export function isSamePort(one: HostPort, other: HostPort): boolean {
  const isSameAddress = one.ip === other.ip || one.ip === ANY_ADDRESS || other.ip === ANY_ADDRESS;
  return one.port === other.port && one.protocol === other.protocol && isSameAddress;
}

function amountsOf(list: Readonly<Record<string, string>>): Amounts {
  const entries = Object.entries(list);
  if (entries.length === 0) return NONE;
  return new Map(entries.map(([name, amount]) => [name, parseQuantity(amount).nanos]));
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  return [...(spec.containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
      hostPort > 0 ? { port: hostPort, ip: hostIP === "" ? ANY_ADDRESS : hostIP, protocol } : [],
    ),
  );
}
