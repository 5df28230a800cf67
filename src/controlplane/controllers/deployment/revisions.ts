/** The ReplicaSets of a Deployment and their revisions. */
import type { PodTemplate } from "../../builtin/shared/pods/shapes.ts";
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import { byAge } from "../keys.ts";
import { canonicalJson } from "../template-hash.ts";
import { DESIRED, MAX, type Rollout } from "./rollout.ts";

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

/** Divides the sets of a Deployment into the one with its current template and the others. */
export function rolloutOf(deployment: Deployment, owned: readonly ReplicaSet[]): Rollout {
  const wanted = templateText(deployment.spec.template);
  const newSet = owned.toSorted(byAge).find((set) => templateText(set.spec.template) === wanted);
  return { deployment, newSet, old: owned.filter((set) => set !== newSet) };
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

/** The annotations of the newest set. */
export function annotationsOf(
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
): Record<string, string> {
  const annotations: Record<string, string> = { ...set.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!NOT_COPIED.has(key)) annotations[key] = value;
  }
  if (revisionOf(set) >= revision) return annotations;
  const { [REVISION]: before, [HISTORY]: history = "" } = annotations;
  if (before !== undefined) annotations[HISTORY] = extendHistory(history, before);
  annotations[REVISION] = String(revision);
  return annotations;
}

function extendHistory(history: string, revision: string): string {
  const revisions = history === "" ? [] : history.split(",");
  if (revisions.includes(revision)) return history;
  revisions.push(revision);
  while (revisions.join(",").length > HISTORY_LIMIT) revisions.shift();
  return revisions.join(",");
}
