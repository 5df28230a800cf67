/**
 * `/scale`: the number of replicas of an object, whatever its kind.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/scale-v1/
 * @module
 */
import { invalid, invalidValue } from "../../kube/field-errors.ts";
import { copyJson } from "../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../kube/object.ts";
import { apiVersionOf, parseApiVersion } from "../../kube/resource.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { type ScaledKind, managersAfterScale, scaleManagers } from "../apply/scale-fields.ts";
import type { AdmissionRequest } from "../admission/attributes.ts";
import { findBuiltInSchema } from "../builtin/definitions.ts";
import { normaliseShape } from "../builtin/strategies/go-shape.ts";
import type { ScaleAccess } from "../kinds.ts";
import { admissionRequest } from "./admitted.ts";
import { checkPatched, readConfiguration, readObject, readPatch, tellMistakes } from "./body.ts";
import type { Cluster, Endpoint, WriteOptions } from "./cluster.ts";
import { matchNamespace } from "./create.ts";
import { badRequest, internalError, notFound } from "../failures.ts";
import { applyToScale, trackScale } from "./ownership.ts";
import { APPLY, patchForm, patchType, patched } from "./patch-requests.ts";
import type { Presenter } from "./presenter.ts";
import { parseWriteQuery } from "./query.ts";
import { readOne } from "./read-requests.ts";
import type { Answer, ResourceRequest } from "./request.ts";
import { updateObject } from "./update.ts";
import { matchName, writeOptions } from "./write-requests.ts";

/** What the Scale of a custom resource without replicas is patched from; nobody may ask for it. */
const UNSET = -(2 ** 31);

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

interface Scale extends SentObject {
  spec?: { replicas?: number };
  status: { replicas: number; selector?: string };
}

/** Whose size it is. */
export type ScaleTarget = Pick<ResourceRequest, "resource" | "subresource" | "namespace" | "name">;

/** How the resource's objects are scaled. @throws StatusError 404 when they are not */
function accessOf({ resource, subresource, name }: ScaleTarget): ScaleAccess {
  const access = subresource?.scale ?? resource.traits?.scale;
  if (!access) throw notFound(resource, name);
  return access;
}

function scaleOf(object: SentObject, access: ScaleAccess): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas = 0, statusReplicas, selector } = access.read(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas, ...(selector === "" ? {} : { selector }) },
  };
}

/** A Scale as the server prints it, whatever was left out: 0 replicas are none; it is changed. */
function inShape(object: SentObject): Scale {
  normaliseShape(object);
  return object as Scale;
}

/** GET of `/scale`. */
export async function getScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Promise<Answer> {
  return presenter.object(200, readScale(asked, await readOne(cluster, asked)));
}

/** The size of an object. @throws StatusError 404 when its kind has none, 500 when the object has none */
export function readScale(asked: ScaleTarget, object: SentObject): Scale {
  const access = accessOf(asked);
  if (!asked.resource.builtIn && access.read(object).replicas === undefined) {
    throw internalError(
      `the spec replicas field ${JSON.stringify(access.specReplicasPath)} does not exist`,
    );
  }
  return scaleOf(object, access);
}

/** Gives an object another size, as a PUT of its Scale does. */
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

/** PUT of `/scale`. */
export async function putScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Promise<Answer> {
  const query = parseWriteQuery(asked.request.query, "update");
  const scale = inShape(await readObject(asked, query));
  matchName(scale, asked.name);
  const options = writeOptions(asked, query);
  return writeScale(cluster, asked, presenter, options, true, (live) => {
    trackScale(cluster, live, scale, options.manager);
    return scale;
  });
}

/** PATCH of `/scale`. */
export async function patchScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Promise<Answer> {
  const type = patchType(asked);
  if (type === APPLY) return applyScale(cluster, asked, presenter);
  const query = parseWriteQuery(asked.request.query, "patch");
  const sent = await readPatch(asked, patchForm(type));
  const options = writeOptions(asked, query);
  return writeScale(cluster, asked, presenter, options, false, (live) => {
    // Another write may come first; then this one is tried again.
    const patch = copyJson(sent);
    const result = patched(type, live, patch, {
      schema: findBuiltInSchema(SCALE) ?? {},
      builtIn: true,
    });
    const scale = inShape(checkPatched(asked, result, live, patch, query));
    trackScale(cluster, live, scale, options.manager);
    return scale;
  });
}

async function writeScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
  options: WriteOptions,
  replaces: boolean,
  change: (live: Scale) => Scale,
): Promise<Answer> {
  const updated = await changeScale(cluster, asked, options, replaces, change);
  return presenter.object(200, scaleOf(updated, accessOf(asked)));
}

async function changeScale(
  cluster: Cluster,
  asked: ScaleTarget,
  options: WriteOptions,
  replaces: boolean,
  change: (live: Scale) => Scale,
): Promise<SentObject> {
  const access = accessOf(asked);
  const kind = scaledKind(cluster, asked, access);
  const updated = await updateObject(
    cluster,
    scaleEndpoint(asked),
    asked.namespace,
    asked.name,
    async (live) => {
      const before = scaleOf(live, access);
      const { builtIn } = asked.resource;
      const isUnset = !builtIn && access.read(live).replicas === undefined;
      if (isUnset) before.spec = { replicas: UNSET };
      const managed = scaleManagers(kind, live.metadata.managedFields);
      if (managed) before.metadata.managedFields = managed;
      const given = change(copyJson(before));
      matchNamespace(asked.resource, asked.namespace, given);
      matchName(given, asked.name);
      const wanted = await mutateScale(cluster, asked, before, given, options);
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
    },
    {
      ...options,
      replaces,
      unconditional: true,
      validating: (object, live) =>
        cluster.admission.validate(
          scaleReview(asked, scaleOf(live, access), scaleOf(object, access), options),
        ),
    },
  );
  await cluster.store.durable();
  return updated;
}

/** The Scale as mutating admission leaves it. */
async function mutateScale(
  cluster: Cluster,
  asked: ScaleTarget,
  before: Scale,
  wanted: Scale,
  options: WriteOptions,
): Promise<Scale> {
  const mutated = await cluster.admission.mutate(scaleReview(asked, before, wanted, options));
  return (mutated ?? wanted) as Scale;
}

function scaleReview(
  asked: ScaleTarget,
  oldObject: Scale,
  object: Scale,
  options: WriteOptions,
): AdmissionRequest {
  return admissionRequest(scaleEndpoint(asked), "UPDATE", asked, { object, oldObject }, options);
}

/** Where the replicas are in each version of the kind. */
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

/** @throws StatusError 400 when nobody gives a number, 422 for a negative one of a built-in kind */
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

async function applyScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Promise<Answer> {
  const query = parseWriteQuery(asked.request.query, "apply");
  const decoded = await readConfiguration(asked, query);
  const { config } = decoded;
  const by = { manager: query.fieldManager, force: query.force };
  return writeScale(cluster, asked, presenter, writeOptions(asked, query), false, (live) => {
    const { builtIn } = asked.resource;
    if (!builtIn && !live.metadata.managedFields?.length) {
      throw notConvertible("create manager for existing fields: failed to convert live object", {});
    }
    const scale = applyToScale(cluster, live, config, by) as Scale;
    if (!builtIn && scale.spec?.replicas !== live.spec?.replicas) {
      throw notConvertible("convert new object", config["metadata"] as ObjectMeta);
    }
    tellMistakes(asked, decoded);
    return scale;
  });
}

/** The real server cannot apply a change to the `Scale` of a custom resource; it says so in these words. */
function notConvertible(what: string, { namespace = "", name = "" }: ObjectMeta): StatusError {
  return failure(
    500,
    "",
    `failed to ${what} (${namespace}/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}
