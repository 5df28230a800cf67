/**
 * The pods of a StatefulSet and their claims: names, order, health.
 *
 * @module
 */
import type { Pod, PodTemplate, Volume } from "../../builtin/strategies/pod-shapes.ts";
import type { PersistentVolumeClaim } from "../../builtin/strategies/shapes.ts";
import type { StatefulSet } from "../../builtin/strategies/workload-shapes.ts";
import { type OwnerKind, controllerReference } from "../ownership.ts";
import { availableInMs, isReady, podFrom } from "../pods.ts";

const POD_NAME = "statefulset.kubernetes.io/pod-name";
const POD_INDEX = "apps.kubernetes.io/pod-index";
const REVISION = "controller-revision-hash";

/** The number of the first pod. */
export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

/** The number at the end of a pod's name; -1 when it is none of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
  const prefix = `${set.metadata.name ?? ""}-`;
  const { name = "" } = pod.metadata;
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(number) ? Number(number) : -1;
}

/** The revision that a pod was made of. */
export const revisionOf = (pod: Pod): string => pod.metadata.labels?.[REVISION] ?? "";

/** Running, ready and not on its way out. */
export const isHealthy = (pod: Pod): boolean =>
  pod.status?.phase === "Running" && isReady(pod) && !pod.metadata.deletionTimestamp;

/** Whether the pod has been healthy for long enough. */
export const isAvailable = (set: StatefulSet, pod: Pod, nowMs: number): boolean =>
  isHealthy(pod) && availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;

const claimName = (set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${template.metadata.name ?? ""}-${set.metadata.name ?? ""}-${ordinal}`;

/** The claims of a pod, as they are to be made. */
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

/** The pod with that number, of that template. */
export function statefulPod(
  set: StatefulSet,
  kind: OwnerKind,
  template: PodTemplate,
  ordinal: number,
  revision: string,
): Pod {
  const setName = set.metadata.name ?? "";
  const name = `${setName}-${ordinal}`;
  const pod = podFrom(template, set, {
    name,
    generateName: `${setName}-`,
    ownerReferences: [controllerReference(set, kind)],
    labels: { [POD_NAME]: name, [POD_INDEX]: String(ordinal), [REVISION]: revision },
  });
  pod.spec.hostname = name;
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName;
  const claims: Volume[] = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  if (claims.length > 0) {
    const names = new Set(claims.map((volume) => volume.name));
    const own = pod.spec.volumes ?? [];
    pod.spec.volumes = [...claims, ...own.filter((volume) => !names.has(volume.name))];
  }
  return pod;
}
