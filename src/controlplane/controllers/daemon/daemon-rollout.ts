/**
 * The pods of a DaemonSet to remove, and the nodes that get new ones: pure decisions from the
 * placement of its pods.
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import { shareOf } from "../framework/counts.ts";
import { byAge } from "../framework/keys.ts";
import { isActive, isAvailable, isFinished, isReady } from "../pods/pods.ts";
import { HASH_LABEL, fit, isCurrent } from "./daemon-nodes.ts";

/** The pods to remove, and the nodes that get one. */
export interface Changes {
  readonly remove: Pod[];
  readonly make: string[];
}

export interface Situation {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** The pods of the set, by the node that they are for. */
  readonly placement: ReadonlyMap<string, readonly Pod[]>;
  readonly hash: string;
  readonly nowMs: number;
}

/** Whether the strategy creates new pods before it removes the old ones. */
const surges = ({ spec }: DaemonSet): boolean =>
  spec.updateStrategy.type === "RollingUpdate" &&
  shareOf(spec.updateStrategy.rollingUpdate?.maxSurge, 1) > 0;

/** The pods by age and name, those with a node first. */
export function inOrder(pods: readonly Pod[]): Pod[] {
  const waits = ({ spec }: Pod): number => Number(!spec.nodeName);
  return pods.toSorted((left, right) => waits(left) - waits(right) || byAge(left, right));
}

const isLiving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/**
 * One pod on each node that fits the set, none on the others. Finished pods are not removed here:
 * `ended` lists them.
 */
export function placed(situation: Situation): Changes & { readonly ended: readonly Pod[] } {
  const { set, nodes, placement, hash, nowMs } = situation;
  const remove: Pod[] = [];
  const make: string[] = [];
  const ended: Pod[] = [];
  for (const node of nodes) {
    const name = node.metadata.name ?? "";
    const pods = placement.get(name);
    const { runs, stays } = fit(set, node);
    if (!pods) {
      if (runs) make.push(name);
      continue;
    }
    if (!stays) {
      remove.push(...pods.filter(isLiving));
      continue;
    }
    ended.push(...pods.filter((pod) => isLiving(pod) && isFinished(pod)));
    const running = inOrder(pods.filter(isActive));
    if (!surges(set)) {
      remove.push(...running.slice(1));
      continue;
    }
    if (running.length === 0 && runs) make.push(name);
    const fresh = running.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash);
    const old = running.filter((pod) => !fresh.includes(pod));
    remove.push(...fresh.slice(1), ...old.slice(1));
    const [newest, oldest] = [fresh[0], old[0]];
    if (!newest || !oldest) continue;
    if (!isReady(oldest) || isAvailable(set, newest, nowMs)) remove.push(oldest);
  }
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const [node, pods] of placement) {
    if (!known.has(node)) remove.push(...pods.filter(({ spec }) => !spec.nodeName));
  }
  return { remove, make, ended };
}

interface Spot {
  readonly node: string;
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
  /** Whether a node has more than one pod, which must be cleaned up first. */
  readonly isCrowded: boolean;
}

/** The next step of a rolling update, as far as the strategy allows one. */
export function rolled(situation: Situation): Changes {
  const { set, nodes, placement, hash } = situation;
  if (set.spec.updateStrategy.type === "OnDelete") return { remove: [], make: [] };
  const fitting = nodes.filter((node) => fit(set, node).runs);
  const wanted = new Set(fitting.map(({ metadata }) => metadata.name ?? ""));
  const spots = [...new Set([...placement.keys(), ...wanted])].map((node): Spot => {
    const living = (placement.get(node) ?? []).filter(isLiving);
    const fresh = living.filter((pod) => isCurrent(set, pod, hash));
    const old = living.filter((pod) => !fresh.includes(pod));
    const isCrowded = fresh.length > 1 || old.length > 1;
    return { node, fresh: fresh[0], old: old[0], isCrowded };
  });
  const { maxSurge, maxUnavailable = 1 } = set.spec.updateStrategy.rollingUpdate ?? {};
  const surge = shareOf(maxSurge, wanted.size);
  return surge > 0
    ? surged(situation, spots, surge, wanted)
    : replaced(situation, spots, Math.max(1, shareOf(maxUnavailable, wanted.size)));
}

/** Removes old pods that are not available, and available ones as long as the strategy allows more unavailable pods. */
function replaced({ set, nowMs }: Situation, spots: readonly Spot[], allowed: number): Changes {
  const remove: Pod[] = [];
  const candidates: Pod[] = [];
  let missing = 0;
  for (const { fresh, old, isCrowded } of spots) {
    const only = isCrowded || (fresh && old) ? undefined : (fresh ?? old);
    const isDown = !only || !isAvailable(set, only, nowMs);
    if (isDown) missing++;
    if (only && only === old) (isDown ? remove : candidates).push(only);
  }
  return { remove: [...remove, ...candidates.slice(0, Math.max(0, allowed - missing))], make: [] };
}

/** Creates new pods beside old ones, within the surge; an old pod is removed when the new one is available. */
function surged(
  { set, nowMs }: Situation,
  spots: readonly Spot[],
  surge: number,
  wanted: ReadonlySet<string>,
): Changes {
  const remove: Pod[] = [];
  const unwanted: Pod[] = [];
  const make: string[] = [];
  const candidates: string[] = [];
  let [surging, available] = [0, 0];
  for (const { node, fresh, old, isCrowded } of spots) {
    if (isCrowded) {
      surging++;
      continue;
    }
    const counted = old ?? fresh;
    const isMissed = counted !== undefined && isAvailable(set, counted, nowMs);
    if (isMissed) available++;
    if (!old) continue;
    if (!fresh && !wanted.has(node)) (isMissed ? unwanted : remove).push(old);
    else if (!fresh) (isMissed ? candidates : make).push(node);
    else if (isAvailable(set, fresh, nowMs)) remove.push(old);
    else surging++;
  }
  // On nodes that no longer fit, an available pod is removed only when enough others are available.
  remove.push(...unwanted.slice(0, Math.max(0, available - wanted.size)));
  return { remove, make: [...make, ...candidates.slice(0, Math.max(0, surge - surging))] };
}
