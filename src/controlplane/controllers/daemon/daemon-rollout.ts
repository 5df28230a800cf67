/**
 * Which pods of a DaemonSet are removed, and where new ones are made: pure decisions over where its pods are.
 *
 * @module
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import { availableInMs, isFinished, isReady } from "../pods/pods.ts";
import { shareOf } from "../share.ts";
import { HASH_LABEL, TEMPLATE_GENERATION, GENERATION_LABEL, fit } from "./daemon-nodes.ts";

/** The pods of a set, by the node that they are for. */
export type Placement = ReadonlyMap<string, readonly Pod[]>;

/** What is to be done. */
export interface Changes {
  readonly remove: readonly Pod[];
  /** Nodes that get a pod. */
  readonly make: readonly string[];
}

/** What the decisions are about. */
export interface Situation {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly placement: Placement;
  /** The revision that the set's template has now. */
  readonly hash: string;
  readonly nowMs: number;
}

/** Whether the strategy makes new pods before the old ones go. */
const surges = ({ spec }: DaemonSet): boolean =>
  spec.updateStrategy.type === "RollingUpdate" &&
  shareOf(spec.updateStrategy.rollingUpdate?.maxSurge, 1) > 0;

/** Whether the pod has the set's template: by its revision, or by the generation that older clusters count. */
export function isCurrent(set: DaemonSet, pod: Pod, hash: string): boolean {
  const { labels = {} } = pod.metadata;
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  return (
    (hash !== "" && labels[HASH_LABEL] === hash) ||
    (generation !== undefined && labels[GENERATION_LABEL] === generation)
  );
}

/** Bound pods first, then by age and name. */
export function byAge(pods: readonly Pod[]): Pod[] {
  const rank = ({ metadata, spec }: Pod): string =>
    `${spec.nodeName ? 0 : 1} ${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
  return pods.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

const isLiving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/** One pod where the set fits, none where it does not. Ended pods are another's concern: `ended` names them. */
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
  /** More than one of a kind: to be tidied up before anything else. */
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

/** Old pods that are not available go, available ones as long as few enough are missing. */
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

/** New pods beside old ones, as many as may be too much; an old one goes when the new one is available. */
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
  // Where the set fits no more, an available pod goes only when enough others are available.
  remove.push(...unwanted.slice(0, Math.max(0, available - desired)));
  return { remove, make: [...make, ...candidates.slice(0, Math.max(0, surge - surging))] };
}
