/** The status of a StatefulSet: the counts of its pods by revision and state. */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import { availableInMs } from "../pods/pods.ts";
import type { Revision } from "../revision-history.ts";
import { isAvailable, isRunningAndReady, revisionOf } from "./stateful-pods.ts";

type Status = NonNullable<StatefulSet["status"]>;

/** The revisions of a set's pods during an update. */
export interface Versions {
  readonly current: Revision;
  readonly update: Revision;
}

/** The counted status; `deleted` pods of the current revision were just removed for an update. */
export function statusOf(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update }: Versions,
  nowMs: number,
  deleted = 0,
): Status {
  const count = (list: readonly Pod[], test: (pod: Pod) => boolean): number =>
    list.filter(test).length;
  const living = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  const updateName = update.metadata.name ?? "";
  let currentName = current.metadata.name ?? "";
  const ready = count(pods, isRunningAndReady);
  const available = count(pods, (pod) => isRunningAndReady(pod) && isAvailable(set, pod, nowMs));
  const updated = count(living, (pod) => revisionOf(pod) === updateName);
  let currentCount = count(living, (pod) => revisionOf(pod) === currentName) - deleted;
  const total = set.spec.replicas ?? 1;
  const isRolled =
    set.spec.updateStrategy.type === "RollingUpdate" &&
    [updated, ready, pods.length].every((found) => found === total);
  if (isRolled) [currentName, currentCount] = [updateName, updated];
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    ...(currentCount === 0 ? {} : { currentReplicas: currentCount }),
    ...(updated > 0 ? { updatedReplicas: updated } : {}),
    currentRevision: currentName,
    updateRevision: updateName,
    collisionCount: set.status?.collisionCount ?? 0,
    availableReplicas: available,
  };
}

const COMPARED = [
  "replicas",
  "currentReplicas",
  "readyReplicas",
  "updatedReplicas",
  "currentRevision",
  "availableReplicas",
  "updateRevision",
] as const;

/** Whether the stored status must be replaced. */
export function isOutdated(stored: Status | undefined, status: Status): boolean {
  if ((status.observedGeneration ?? 0) > (stored?.observedGeneration ?? 0)) return true;
  return COMPARED.some((name) => (stored?.[name] ?? 0) !== (status[name] ?? 0));
}

/** In how many milliseconds the next ready pod becomes available. */
export function nextAvailableInMs(
  set: StatefulSet,
  pods: readonly Pod[],
  nowMs: number,
): number | undefined {
  const waits = pods
    .map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs))
    .filter((ms) => ms !== undefined && ms > 0)
    .map(Number);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
