/** The ReplicaSets of a Deployment and their revisions. */
import type { PodTemplate } from "../../builtin/shared/pods/shapes.ts";
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import { canonicalJson } from "../template-hash.ts";
import { DESIRED, MAX } from "./rollout-arithmetic.ts";

export const HASH_LABEL = "pod-template-hash";
export const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";
const HISTORY_LIMIT = 2000;

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
  "deprecated.deployment.rollback.to",
]);

/** The ReplicaSets of a Deployment in one round of work. */
export interface Sets {
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** The old sets, then the newest one if it exists. */
export const allOf = ({ newSet, old }: Sets): ReplicaSet[] =>
  newSet ? [...old, newSet] : [...old];

/** Divides the sets of a Deployment into the newest one and the others. */
export function divide(deployment: Deployment, owned: readonly ReplicaSet[]): Sets {
  const newSet = findNewSet(deployment, owned);
  return { newSet, old: owned.filter((set) => set !== newSet) };
}

/** Orders sets by age, the oldest first; sets of the same second by name. */
export function byAge(left: ReplicaSet, right: ReplicaSet): number {
  return (
    (left.metadata.creationTimestamp ?? "").localeCompare(right.metadata.creationTimestamp ?? "") ||
    (left.metadata.name ?? "").localeCompare(right.metadata.name ?? "")
  );
}

/** The set with the Deployment's current template. */
function findNewSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const wanted = templateText(deployment.spec.template);
  return sets.toSorted(byAge).find((set) => templateText(set.spec.template) === wanted);
}

/** The template without its hash label, as text that can be compared. */
export function templateText(template: PodTemplate): string {
  const labels = { ...template.metadata?.labels };
  Reflect.deleteProperty(labels, HASH_LABEL);
  const metadata = { ...template.metadata, labels };
  return canonicalJson({ ...template, metadata });
}

/** The revision of a set; 0 when it has none. */
export function revisionOf(set: ReplicaSet): number {
  const revision = Number(set.metadata.annotations?.[REVISION] ?? "0");
  return Number.isInteger(revision) ? revision : 0;
}

/** The highest revision among the sets. */
export function maxRevision(sets: readonly ReplicaSet[]): number {
  return sets.reduce((highest, set) => Math.max(highest, revisionOf(set)), 0);
}

/**
 * The annotations of the newest set.
 *
 * @param sizes - `desired-replicas` and `max-replicas`, for a set that is about to be created
 */
export function annotationsOf(
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
  sizes?: Readonly<Record<string, string>>,
): Record<string, string> {
  const annotations: Record<string, string> = { ...set.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!NOT_COPIED.has(key)) annotations[key] = value;
  }
  const before = revisionOf(set);
  if (before < revision) {
    if (annotations[REVISION] !== undefined) {
      annotations[HISTORY] = extendHistory(annotations[HISTORY] ?? "", annotations[REVISION]);
    }
    annotations[REVISION] = String(revision);
  }
  return { ...annotations, ...sizes };
}

function extendHistory(history: string, revision: string): string {
  const revisions = history === "" ? [] : history.split(",");
  if (revisions.includes(revision)) return history;
  revisions.push(revision);
  while (revisions.join(",").length > HISTORY_LIMIT) revisions.shift();
  return revisions.join(",");
}
