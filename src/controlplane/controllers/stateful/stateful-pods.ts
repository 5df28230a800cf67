/** The pods of a StatefulSet and their claims: names, order and health. */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodTemplate, Volume } from "../../builtin/shared/pods/shapes.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import { STATEFUL_SETS } from "../../builtin/tokens.ts";
import { type OwnerKind, controllerReference } from "../ownership.ts";
import { availableInMs, isReady, podFrom } from "../pods/pods.ts";

export const KIND: OwnerKind<StatefulSet> = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  resource: STATEFUL_SETS,
};
const POD_NAME = "statefulset.kubernetes.io/pod-name";
const POD_INDEX = "apps.kubernetes.io/pod-index";
const REVISION = "controller-revision-hash";

/** The ordinal of the first pod. */
export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

/** The ordinal at the end of a pod's name; -1 when the pod is not one of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
  const prefix = `${set.metadata.name ?? ""}-`;
  const { name = "" } = pod.metadata;
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(number) ? Number(number) : -1;
}

/** Whether the pod's ordinal is within the set's size. */
export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(set, pod);
  const first = firstOrdinal(set);
  return ordinal >= first && ordinal < first + (set.spec.replicas ?? 1);
}

/** The revision of a pod. */
export const revisionOf = (pod: Pod): string => pod.metadata.labels?.[REVISION] ?? "";

/** Whether the pod is running and ready; it may be terminating. */
export const isRunningAndReady = (pod: Pod): boolean =>
  pod.status?.phase === "Running" && isReady(pod);

/** Whether the pod has been ready for `minReadySeconds`. */
export const isAvailable = (set: StatefulSet, pod: Pod, nowMs: number): boolean =>
  availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;

/** Whether the pod counts as unavailable: not available, or terminating. */
export const isUnavailable = (set: StatefulSet, pod: Pod, nowMs: number): boolean =>
  !isAvailable(set, pod, nowMs) || pod.metadata.deletionTimestamp !== undefined;

const claimName = (set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${template.metadata.name ?? ""}-${set.metadata.name ?? ""}-${ordinal}`;

/** The claims of a pod, as they are to be created. */
export function claimsFor(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const { labels, annotations } = template.metadata;
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: claimName(set, template, ordinal),
        namespace: set.metadata.namespace ?? "",
        labels: { ...labels, ...set.spec.selector?.matchLabels },
        ...(annotations ? { annotations: { ...annotations } } : {}),
      },
      spec: structuredClone(template.spec),
    };
  });
}

/** The pod with that ordinal, from that template. */
export function statefulPod(
  set: StatefulSet,
  template: PodTemplate,
  ordinal: number,
  revision: string,
): Pod {
  const setName = set.metadata.name ?? "";
  const name = `${setName}-${ordinal}`;
  const pod = podFrom(template, set, {
    name,
    generateName: `${setName}-`,
    ownerReferences: [controllerReference(set, KIND)],
    labels: { ...identityOf(name, ordinal), [REVISION]: revision },
  });
  pod.spec.hostname = name;
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName;
  const volumes = withClaims(set, pod, ordinal);
  if (volumes.length > 0) pod.spec.volumes = volumes;
  return pod;
}

const identityOf = (name: string, ordinal: number): Record<string, string> => ({
  [POD_NAME]: name,
  [POD_INDEX]: String(ordinal),
});

/** The pod's volumes, after those of its claims. */
function withClaims(set: StatefulSet, pod: Pod, ordinal: number): Volume[] {
  const claims: Volume[] = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const names = new Set(claims.map((volume) => volume.name));
  return [...claims, ...(pod.spec.volumes ?? []).filter((volume) => !names.has(volume.name))];
}

/** Whether the pod has the label with its name and uses the claims of its ordinal. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(set, pod);
  if (pod.metadata.labels?.[POD_NAME] !== pod.metadata.name) return false;
  return (set.spec.volumeClaimTemplates ?? []).every((claim) =>
    pod.spec.volumes?.some(
      ({ name, persistentVolumeClaim }) =>
        name === claim.metadata.name &&
        persistentVolumeClaim?.claimName === claimName(set, claim, ordinal),
    ),
  );
}

/** The pod with the labels and volumes that `hasIdentity` checks. */
export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(set, pod);
  const { metadata, spec } = pod;
  const labels = { ...metadata.labels, ...identityOf(metadata.name ?? "", ordinal) };
  const volumes = withClaims(set, pod, ordinal);
  return {
    ...pod,
    metadata: { ...metadata, labels },
    spec: { ...spec, ...(volumes.length > 0 ? { volumes } : {}) },
  };
}
