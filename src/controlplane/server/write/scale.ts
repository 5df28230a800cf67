/**
 * Scales: the number of replicas of an object, read and written whatever its kind.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/scale-v1/
 */
import { invalid, invalidValue } from "../../../kube/field-errors.ts";
import { copyJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { apiVersionOf, parseApiVersion } from "../../../kube/resource.ts";
import type { AdmissionRequest } from "../../admission/attributes.ts";
import { type ScaledKind, managersAfterScale, scaleManagers } from "../../apply/scale-fields.ts";
import { badRequest, internalError, notFound } from "../../failures.ts";
import type { ScaleAccess, ServedResource, ServedSubresource } from "../../kinds.ts";
import { admissionRequest } from "./admitted.ts";
import type { Cluster, Endpoint, WriteOptions } from "../cluster/cluster.ts";
import { matchName, matchNamespace } from "./match-path.ts";
import { trackScale } from "./ownership.ts";
import { type UpdateOptions, updateObject } from "./update.ts";
import { present } from "../../../present.ts";

/**
 * The replicas from which the Scale of a custom resource without replicas is patched; no client may
 * set them.
 */
const UNSET = -(2 ** 31);

/** The kind of a Scale. */
export const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

/** A Scale, as clients read and write it. */
export interface Scale extends SentObject {
  spec?: { replicas?: number };
  status: { replicas: number; selector?: string };
}

/** The object of a Scale. */
export interface ScaleTarget {
  readonly resource: ServedResource;
  readonly subresource?: ServedSubresource;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/** How the resource's objects are scaled. @throws StatusError 404 when they cannot be */
export function accessOf({ resource, subresource, name }: ScaleTarget): ScaleAccess {
  const access = subresource?.scale ?? resource.traits?.scale;
  if (!access) throw notFound(resource, name);
  return access;
}

/** The Scale of an object. */
export function scaleOf(object: SentObject, access: ScaleAccess): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas = 0, statusReplicas, selector } = access.read(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...present({ name, namespace, uid, resourceVersion, creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas, ...(selector === "" ? {} : { selector }) },
  };
}

/**
 * The Scale of an object.
 *
 * @throws StatusError 404 when its kind has none, 500 when the object has none
 */
export function readScale(asked: ScaleTarget, object: SentObject): Scale {
  const access = accessOf(asked);
  if (!asked.resource.builtIn && access.read(object).replicas === undefined) {
    throw internalError(
      `the spec replicas field ${JSON.stringify(access.specReplicasPath)} does not exist`,
    );
  }
  return scaleOf(object, access);
}

/** Scales an object, as a PUT of its Scale does. */
export async function setReplicas(
  cluster: Cluster,
  asked: ScaleTarget,
  options: WriteOptions,
  replicas: number,
): Promise<void> {
  await changeScale(cluster, asked, options, true, (live) => {
    const scale = { ...live, spec: { replicas } };
    trackScale(cluster, live, scale, options.manager);
    return scale;
  });
}

/** Changes the Scale of an object. @returns the object as it is then stored */
export async function changeScale(
  cluster: Cluster,
  asked: ScaleTarget,
  options: WriteOptions,
  replaces: boolean,
  change: (live: Scale) => Scale,
): Promise<SentObject> {
  const access = accessOf(asked);
  const kind = scaledKind(cluster, asked, access);
  const { resource, namespace, name } = asked;
  const endpoint = scaleEndpoint(asked);
  const review = (oldObject: Scale, object: Scale): AdmissionRequest =>
    admissionRequest({ endpoint, namespace, name, options }, "UPDATE", { object, oldObject });
  const updateOptions: UpdateOptions = {
    ...options,
    replaces,
    unconditional: true,
    validating: (object, live) =>
      cluster.admission.validate(review(scaleOf(live, access), scaleOf(object, access))),
  };
  const write = { cluster, endpoint, namespace, name, options: updateOptions };
  const updated = await updateObject(write, async (live) => {
    const before = scaleOf(live, access);
    const isUnset = !resource.builtIn && access.read(live).replicas === undefined;
    if (isUnset) before.spec = { replicas: UNSET };
    const managed = scaleManagers(kind, live.metadata.managedFields);
    if (managed) before.metadata.managedFields = managed;
    const given = change(copyJson(before));
    matchNamespace(resource, namespace, given);
    matchName(given, name);
    const mutated = await cluster.admission.mutate(review(before, given));
    const wanted = (mutated ?? given) as Scale;
    const object = copyJson(live);
    access.write(object, replicasOf(asked, access, wanted));
    // A stale version or another uid in the Scale is a conflict about the object.
    object.metadata.resourceVersion = wanted.metadata.resourceVersion ?? "";
    object.metadata.uid = wanted.metadata.uid ?? live.metadata.uid ?? "";
    const after = managersAfterScale(
      kind,
      live.metadata.managedFields,
      wanted.metadata.managedFields,
    );
    if (after) object.metadata.managedFields = after;
    else delete object.metadata.managedFields;
    return object;
  });
  await cluster.store.durable();
  return updated;
}

/** The path of the replicas in each version of the kind. */
function scaledKind(
  { registry }: Cluster,
  { resource }: ScaleTarget,
  access: ScaleAccess,
): ScaledKind {
  const { group, plural } = resource;
  return {
    apiVersion: apiVersionOf(resource),
    replicasPath(apiVersion) {
      const other = parseApiVersion(apiVersion);
      const found = other.group === group ? registry.find(group, other.version, plural) : undefined;
      if (!found) return undefined;
      const scale = found.subresources.find(({ name }) => name === "scale");
      return (scale?.scale ?? access).specReplicasPath;
    },
  };
}

function scaleEndpoint({ resource }: ScaleTarget): Endpoint {
  return { resource, subresource: "scale", strategy: resource.strategy, kind: SCALE };
}

/** @throws StatusError 400 when the number is missing, 422 for a negative one of a built-in kind */
function replicasOf(
  { resource, name }: ScaleTarget,
  { specReplicasPath }: ScaleAccess,
  scale: Scale,
): number {
  const replicas = scale.spec?.replicas ?? 0;
  if (!resource.builtIn && replicas === UNSET) {
    throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`);
  }
  if (resource.builtIn && replicas < 0) {
    throw invalid({ group: "autoscaling", kind: "Scale" }, name, [
      invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  return replicas;
}
