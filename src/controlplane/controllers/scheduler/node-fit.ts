/**
 * Whether a node has what a pod requests of it.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { type NodeInfo, isSamePort, shareOf } from "./node-info.ts";

/** A resource of which a node has too little left for a pod; amounts are billionths. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

const ONE = 1_000_000_000n;
/** The resources that every node has, in the order in which they are checked. */
const NATIVE = ["cpu", "memory", "ephemeral-storage"];

/** The resources of which the node has too little left. */
export function shortagesOf(pod: Pod, { pods, allocatable, requested }: NodeInfo): Shortage[] {
  const shortages: Shortage[] = [];
  const slots = allocatable.get("pods") ?? 0n;
  const taken = BigInt(pods.length) * ONE;
  if (taken + ONE > slots) {
    shortages.push({ resource: "pods", requested: ONE, used: taken, capacity: slots });
  }
  const { requests } = shareOf(pod);
  const names = [...NATIVE, ...[...requests.keys()].filter((name) => !NATIVE.includes(name))];
  for (const resource of names) {
    const amount = requests.get(resource) ?? 0n;
    const [used, capacity] = [requested.get(resource) ?? 0n, allocatable.get(resource) ?? 0n];
    if (amount > 0n && amount > capacity - used) {
      shortages.push({ resource, requested: amount, used, capacity });
    }
  }
  return shortages;
}

/** Whether a port of the node that the pod wants is taken. */
export function hasPortConflict(pod: Pod, { pods }: NodeInfo): boolean {
  const wanted = shareOf(pod).ports;
  if (wanted.length === 0) return false;
  const taken = pods.flatMap((other) => shareOf(other).ports);
  return wanted.some((port) => taken.some((other) => isSamePort(port, other)));
}
