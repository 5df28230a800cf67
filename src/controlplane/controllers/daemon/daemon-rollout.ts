/**
 * The pods of a DaemonSet to remove, and the nodes that get new ones: pure decisions from the
 * placement of its pods.
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import { availableInMs, isFinished, isReady } from "../pods/pods.ts";
import { shareOf } from "../share.ts";
import { HASH_LABEL, TEMPLATE_GENERATION, GENERATION_LABEL, fit } from "./daemon-nodes.ts";

/** The pods of a set, by the node that they are for. */
export type Placement = ReadonlyMap<string, readonly Pod[]>;

/** The pods to create and to remove. */
export interface Changes {
  readonly remove: readonly Pod[];
  /** The nodes that get a pod. */
  readonly make: readonly string[];
}

/** The input of the decisions. */
export interface Situation {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly placement: Placement;
  /** The hash of the set's current template. */
  readonly hash: string;
  readonly nowMs: number;
}

/** Whether the strategy creates new pods before it removes the old ones. */
const surges = ({ spec }: DaemonSet): boolean =>
  spec.updateStrategy.type === "RollingUpdate" &&
  shareOf(spec.updateStrategy.rollingUpdate?.maxSurge, 1) > 0;

/**
 * Whether the pod has the set's template: by its revision, or by the generation, as in older
 * clusters.
 */
export function isCurrent(set: DaemonSet, pod: Pod, hash: string): boolean {
  const { labels = {} } = pod.metadata;
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  return (
    (hash !== "" && labels[HASH_LABEL] === hash) ||
    (generation !== undefined && labels[GENERATION_LABEL] === generation)
  );
}

/** The pods by age and name, those with a node first. */
export function byAge(pods: readonly Pod[]): Pod[] {
  const rank = ({ metadata, spec }: Pod): string =>
    `${spec.nodeName ? 0 : 1} ${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
  return pods.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1));
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
    const living = pods.filter(isLiving);
    if (!stays) {
      remove.push(...living);
      continue;
    }
    const running = byAge(living.filter((pod) => !isFinished(pod)));
    ended.push(...living.filter(isFinished));
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

const isAvailable = (set: DaemonSet, pod: Pod, nowMs: number): boolean =>
  availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;

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
  const wanted = nodes.filter((node) => fit(set, node).runs).map(({ metadata }) => metadata.name);
  const names = new Set([...placement.keys(), ...wanted.map((name) => name ?? "")]);
  const spots = [...names].map((node): Spot => {
    const living = (placement.get(node) ?? []).filter(isLiving);
    const fresh = living.filter((pod) => isCurrent(set, pod, hash));
    const old = living.filter((pod) => !fresh.includes(pod));
    const isCrowded = fresh.length > 1 || old.length > 1;
    return { node, fresh: fresh[0], old: old[0], isCrowded };
  });
  const { maxSurge = 0, maxUnavailable = 1 } = set.spec.updateStrategy.rollingUpdate ?? {};
  const surge = shareOf(maxSurge, wanted.length);
  if (surge > 0) return surged(situation, spots, surge, wanted.length);
  return replaced(situation, spots, Math.max(1, shareOf(maxUnavailable, wanted.length)));
}

/**
 * Removes old pods that are not available, and available ones as long as the strategy allows more
 * unavailable pods.
 */
function replaced({ set, nowMs }: Situation, spots: readonly Spot[], allowed: number): Changes {
  const remove: Pod[] = [];
  const candidates: Pod[] = [];
  let missing = 0;
  for (const { fresh, old, isCrowded } of spots) {
    if (isCrowded || (fresh === undefined) === (old === undefined)) missing++;
    else if (fresh) missing += isAvailable(set, fresh, nowMs) ? 0 : 1;
    else if (old && !isAvailable(set, old, nowMs)) {
      remove.push(old);
      missing++;
    } else if (old) candidates.push(old);
  }
  return { remove: [...remove, ...candidates.slice(0, Math.max(0, allowed - missing))], make: [] };
}

/**
 * Creates new pods beside old ones, within the surge; an old pod is removed when the new one is
 * available.
 */
function surged(
  { set, nodes, nowMs }: Situation,
  spots: readonly Spot[],
  surge: number,
  desired: number,
): Changes {
  const runsOn = new Set(
    nodes.filter((node) => fit(set, node).runs).map(({ metadata }) => metadata.name),
  );
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
    if (counted && isAvailable(set, counted, nowMs)) available++;
    if (!old) continue;
    if (fresh) {
      if (isAvailable(set, fresh, nowMs)) remove.push(old);
      else surging++;
      continue;
    }
    const isMissed = isAvailable(set, old, nowMs);
    if (!runsOn.has(node)) (isMissed ? unwanted : remove).push(old);
    else (isMissed ? candidates : make).push(node);
  }
  // On nodes that no longer fit, an available pod is removed only when enough others are available.
  remove.push(...unwanted.slice(0, Math.max(0, available - desired)));
  return { remove, make: [...make, ...candidates.slice(0, Math.max(0, surge - surging))] };
}
