/** The pods of a StatefulSet: names, order and health. */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Volume } from "../../builtin/shared/pods/pod-shapes.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import { isAvailable, isReady, podFrom } from "../pods/pods.ts";
import type { Revision } from "../framework/revision-history.ts";

const POD_NAME = "statefulset.kubernetes.io/pod-name";
const POD_INDEX = "apps.kubernetes.io/pod-index";
const REVISION = "controller-revision-hash";

/** The revisions of a set's pods during an update. */
export interface Versions {
  readonly current: Revision;
  readonly update: Revision;
}

/** The ordinal of the first pod. */
export const firstOrdinal = ({ ordinals }: StatefulSet["spec"]): number => ordinals?.start ?? 0;

/** The ordinal at the end of a pod's name; -1 when the pod is not one of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
  const prefix = `${set.metadata.name ?? ""}-`;
  const { name = "" } = pod.metadata;
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(number) ? Number(number) : -1;
}

/** Whether the pod's ordinal is within the set's size. */
export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const place = ordinalOf(set, pod) - firstOrdinal(set.spec);
  return place >= 0 && place < (set.spec.replicas ?? 1);
}

export const revisionOf = (pod: Pod): string => pod.metadata.labels?.[REVISION] ?? "";

/** Whether the pod is running and ready; it may be terminating. */
export const isRunningAndReady = (pod: Pod): boolean =>
  pod.status?.phase === "Running" && isReady(pod);

/** Whether the pod counts as unavailable: not available, or terminating. */
export const isUnavailable = (set: StatefulSet, pod: Pod, nowMs: number): boolean =>
  !isAvailable(set, pod, nowMs) || pod.metadata.deletionTimestamp !== undefined;

/** The name of the claim that a template makes for the pod. */
export const claimName = (set: StatefulSet, template: PersistentVolumeClaim, pod: Pod): string =>
  `${template.metadata.name ?? ""}-${set.metadata.name ?? ""}-${ordinalOf(set, pod)}`;

const claimVolumes = (set: StatefulSet, pod: Pod): Volume[] =>
  (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, claim, pod) },
  }));

/** Whether the pod has the label with its name and uses the claims of its ordinal. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { metadata, spec } = pod;
  const isUsed = (wanted: Volume): boolean | undefined =>
    spec.volumes?.some(
      ({ name, persistentVolumeClaim: claim }) =>
        name === wanted.name && claim?.claimName === wanted.persistentVolumeClaim?.claimName,
    );
  return metadata.labels?.[POD_NAME] === metadata.name && claimVolumes(set, pod).every(isUsed);
}

/** The pod with the labels and volumes that `hasIdentity` checks. */
export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const { metadata, spec } = pod;
  const { name = "" } = metadata;
  const index = String(ordinalOf(set, pod));
  const claims = claimVolumes(set, pod);
  const names = new Set(claims.map((volume) => volume.name));
  const volumes = [...claims, ...(spec.volumes ?? []).filter((volume) => !names.has(volume.name))];
  return {
    ...pod,
    metadata: { ...metadata, labels: { ...metadata.labels, [POD_NAME]: name, [POD_INDEX]: index } },
    spec: { ...spec, ...(volumes.length > 0 ? { volumes } : {}) },
  };
}

/** The pod to create with that ordinal, of the revision that it should have. */
export function podToMake(set: StatefulSet, { current, update }: Versions, ordinal: number): Pod {
  const revision = keepsCurrent(set, ordinal) ? current : update;
  const { template } = revision.data?.spec ?? set.spec;
  const name = `${set.metadata.name ?? ""}-${ordinal}`;
  const labels = { [REVISION]: revision.metadata.name ?? "" };
  const pod = withIdentity(set, podFrom(template, set, { name, labels }));
  pod.spec.hostname = name;
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName;
  return pod;
}

/** Whether a pod keeps the current revision of the set, as below the partition. */
function keepsCurrent({ spec, status }: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = spec.updateStrategy;
  const counted = type === "RollingUpdate" ? (status?.currentReplicas ?? 0) : 0;
  const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : counted;
  return ordinal < firstOrdinal(spec) + kept;
}
