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
import type { ScaleAccess, ServedResource } from "../../kinds.ts";
import { admissionRequest } from "./admitted.ts";
import type { Cluster, Endpoint, Write } from "../cluster/cluster.ts";
import { matchName, matchNamespace } from "./match-path.ts";
import { type UpdateOptions, updateObject } from "./update.ts";
import { present } from "../../../present.ts";

/** In place of the replicas that a custom resource does not set; no client may set it. */
const UNSET = -(2 ** 31);

export const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

/** A Scale, as clients read and write it. */
export interface Scale extends SentObject {
  spec?: { replicas?: number };
  status: { replicas: number; selector?: string };
}

export function scaleEndpoint(resource: ServedResource): Endpoint {
  return { resource, subresource: "scale", strategy: resource.strategy, kind: SCALE };
}

/** How the resource's objects are scaled. @throws StatusError 404 when they cannot be */
function accessOf(resource: ServedResource, name: string): ScaleAccess {
  const { scale } = resource.subresources.find((one) => one.name === "scale") ?? {};
  const access = scale ?? resource.traits?.scale;
  if (!access) throw notFound(resource, name);
  return access;
}

function scaleOf(object: SentObject, access: ScaleAccess): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas = 0, statusReplicas, selector } = access.read(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: present({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas, ...(selector === "" ? {} : { selector }) },
  };
}

/**
 * The Scale of an object.
 *
 * @throws StatusError 404 when its kind has none, 500 when the object has none
 */
export function readScale(resource: ServedResource, object: SentObject): Scale {
  const access = accessOf(resource, object.metadata.name ?? "");
  if (!resource.builtIn && access.read(object).replicas === undefined) {
    throw internalError(
      `the spec replicas field ${JSON.stringify(access.specReplicasPath)} does not exist`,
    );
  }
  return scaleOf(object, access);
}

/**
 * Changes the Scale of an object, and returns it as it then is.
 *
 * @param write - to the `scaleEndpoint`
 * @param replaces - whether it is a PUT
 */
export async function changeScale(
  write: Write,
  replaces: boolean,
  change: (live: Scale) => Scale,
): Promise<Scale> {
  const { cluster, endpoint, namespace, name } = write;
  const { resource } = endpoint;
  const access = accessOf(resource, name);
  const kind = scaledKind(cluster, resource, access);
  const review = (oldObject: Scale, object: Scale): AdmissionRequest =>
    admissionRequest(write, "UPDATE", { object, oldObject });
  const options: UpdateOptions = {
    ...write.options,
    replaces,
    unconditional: true,
    validating: (object, live) =>
      cluster.admission.validate(review(scaleOf(live, access), scaleOf(object, access))),
  };
  const updated = await updateObject({ ...write, options }, async (live) => {
    const before = scaleOf(live, access);
    const isUnset = !resource.builtIn && access.read(live).replicas === undefined;
    if (isUnset) before.spec = { replicas: UNSET };
    const { managedFields } = live.metadata;
    const managed = scaleManagers(kind, managedFields);
    if (managed) before.metadata.managedFields = managed;
    const given = change(copyJson(before));
    matchNamespace(resource, namespace, given);
    matchName(given, name);
    const wanted = ((await cluster.admission.mutate(review(before, given))) ?? given) as Scale;
    const object = copyJson(live);
    access.write(object, replicasOf(write, access, wanted));
    // A stale version or another uid in the Scale is a conflict about the object.
    object.metadata.resourceVersion = wanted.metadata.resourceVersion ?? "";
    object.metadata.uid = wanted.metadata.uid ?? live.metadata.uid ?? "";
    const after = managersAfterScale(kind, managedFields, wanted.metadata.managedFields);
    if (after) object.metadata.managedFields = after;
    else delete object.metadata.managedFields;
    return object;
  });
  await cluster.store.durable();
  return scaleOf(updated, access);
}

/** The path of the replicas in each version of the kind. */
function scaledKind(
  { registry }: Cluster,
  resource: ServedResource,
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

/** @throws StatusError 400 when the number is missing, 422 for a negative one of a built-in kind */
function replicasOf(
  { endpoint: { resource }, name }: Write,
  { specReplicasPath }: ScaleAccess,
  scale: Scale,
): number {
  const replicas = scale.spec?.replicas ?? 0;
  if (!resource.builtIn && replicas === UNSET) {
    throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`);
  }
  if (resource.builtIn && replicas < 0) {
    throw invalid(SCALE, name, [
      invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  return replicas;
}
