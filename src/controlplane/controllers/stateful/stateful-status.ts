/** The status of a StatefulSet: the counts of its pods by revision and state. */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import { nonZero } from "../framework/counts.ts";
import { isAvailable } from "../pods/pods.ts";
import { type Versions, isRunningAndReady, revisionOf } from "./stateful-pods.ts";

type Status = NonNullable<StatefulSet["status"]>;

/** The counted status; `deleted` pods of the current revision were just removed for an update. */
export function statusOf(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update }: Versions,
  nowMs: number,
  deleted: number,
): Status {
  const count = (test: (pod: Pod) => boolean): number => pods.filter(test).length;
  const countOf = (revision: string): number =>
    count((pod) => !pod.metadata.deletionTimestamp && revisionOf(pod) === revision);
  const { name: updateRevision = "" } = update.metadata;
  const { name: currentRevision = "" } = current.metadata;
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = countOf(updateRevision);
  const total = set.spec.replicas ?? 1;
  const isRolled =
    set.spec.updateStrategy.type === "RollingUpdate" &&
    [updatedReplicas, readyReplicas, pods.length].every((found) => found === total);
  const currentReplicas = isRolled ? updatedReplicas : countOf(currentRevision) - deleted;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...nonZero({ readyReplicas, currentReplicas, updatedReplicas }),
    currentRevision: isRolled ? updateRevision : currentRevision,
    updateRevision,
    availableReplicas: count((pod) => isRunningAndReady(pod) && isAvailable(set, pod, nowMs)),
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
export function isOutdated(stored: Status = {}, status: Status): boolean {
  if ((status.observedGeneration ?? 0) > (stored.observedGeneration ?? 0)) return true;
  return COMPARED.some((name) => (stored[name] ?? 0) !== (status[name] ?? 0));
}
