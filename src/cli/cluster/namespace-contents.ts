/** The contents of a namespace beside what a project put there: all of it would be deleted with the namespace. */
import { CustomResourceDefinition } from "../../generated/k8s/apiextensions-v1.ts";
import type { KubeObject, ManifestObject } from "../../kube/object.ts";
import { isForbidden, isNotFound } from "../../kube/status.ts";
import type { ResourceType } from "../../kube/resource.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { servedResource } from "../project/crd.ts";
import { FIELD_MANAGER } from "./ownership.ts";

/** The kinds that people keep something in; the others are made by the cluster, for these. */
const KINDS: readonly (readonly [apiVersion: string, ...kinds: string[]])[] = [
  ["v1", "ConfigMap", "Secret", "Service", "ServiceAccount", "Pod", "PersistentVolumeClaim"],
  ["v1", "ReplicationController", "ResourceQuota", "LimitRange"],
  ["apps/v1", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"],
  ["batch/v1", "Job", "CronJob"],
  ["networking.k8s.io/v1", "Ingress", "NetworkPolicy"],
  ["rbac.authorization.k8s.io/v1", "Role", "RoleBinding"],
  ["policy/v1", "PodDisruptionBudget"],
  ["autoscaling/v2", "HorizontalPodAutoscaler"],
];

/** Objects that Kubernetes makes in every namespace. */
const BY_ITSELF = new Set([
  "ConfigMap kube-root-ca.crt",
  "ConfigMap openshift-service-ca.crt",
  "ServiceAccount default",
]);

/** The objects that are deleted before the namespace is. */
export interface Leaving {
  /** The project's manifests: those that tsop applied are looked at one by one. */
  readonly manifests: readonly ManifestObject[];
  /** Live objects that are deleted as well. */
  readonly objects: readonly ManifestObject[];
}

/** The names of objects in the namespace that are not known to leave it. What has an owner goes with its owner. */
export async function othersIn(
  session: ClusterSession,
  namespace: string,
  { manifests, objects: leaving }: Leaving,
): Promise<readonly string[]> {
  const own = new Set(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const uids = new Set(leaving.map(({ metadata }) => metadata.uid));
  const found: string[] = [];
  for (const resource of await kindsOf(session)) {
    const objects = await contentsOf(session, resource, namespace);
    if (!objects) {
      found.push(`${resource.plural}, which you are not allowed to list`);
      continue;
    }
    for (const object of objects) {
      const { name, uid, ownerReferences = [], deletionTimestamp } = object.metadata;
      const key = `${object.kind} ${name}`;
      if (BY_ITSELF.has(key) || ownerReferences.length > 0 || deletionTimestamp !== undefined)
        continue;
      if ((own.has(key) && isApplied(object)) || uids.has(uid) || isToken(object)) continue;
      found.push(await session.describe(object));
    }
  }
  return found;
}

/** Whether tsop applied it, so that it was looked at as one of the manifests. */
const isApplied = ({ metadata }: ManifestObject): boolean =>
  metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;

/** The token of a service account, which goes with the account. */
const isToken = (object: ManifestObject & { readonly type?: unknown }): boolean =>
  object.kind === "Secret" && object.type === "kubernetes.io/service-account-token";

/** The objects of a resource; `undefined` when the user may not list them. */
async function contentsOf<T extends KubeObject>(
  session: ClusterSession,
  resource: ResourceType<T>,
  namespace?: string,
): Promise<readonly T[] | undefined> {
  try {
    return await session.list(resource, namespace);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    // A CRD that went meanwhile.
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function kindsOf(session: ClusterSession): Promise<readonly ResourceType[]> {
  const builtIn = await Promise.all(
    KINDS.flatMap(([apiVersion, ...kinds]) =>
      kinds.map((kind) => session.findResource({ apiVersion, kind })),
    ),
  );
  const crds = (await contentsOf(session, CustomResourceDefinition)) ?? [];
  const custom = crds.map(servedResource).filter((resource) => resource?.namespaced);
  return [...builtIn, ...custom].filter((resource) => resource !== undefined);
}
