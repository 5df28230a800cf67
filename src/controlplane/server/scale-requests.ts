/**
 * `/scale`: the number of replicas of an object, whatever its kind.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/scale-v1/
 * @module
 */
import { invalid, invalidValue } from "../../kube/field-errors.ts";
import { copyJson, getField, isJsonObject } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { findBuiltInSchema } from "../builtin/definitions.ts";
import type { ScaleAccess } from "../kinds.ts";
import { checkPatched, readConfiguration, readObject, readPatch } from "./body.ts";
import { builtInScale } from "./built-in-scale.ts";
import type { Cluster, Endpoint, WriteOptions } from "./cluster.ts";
import { badRequest, internalError, notFound } from "./failures.ts";
import { getObject } from "./list.ts";
import { applyTo, trackChange } from "./ownership.ts";
import { APPLY, patchForm, patchType, patched } from "./patch-requests.ts";
import type { Presenter } from "./presenter.ts";
import { parseWriteQuery } from "./query.ts";
import type { Answer, ResourceRequest } from "./request.ts";
import { updateObject } from "./update.ts";
import { matchName, writeOptions } from "./write-requests.ts";

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status: { replicas: number; selector?: string };
}

/** How the resource's objects are scaled. @throws StatusError 404 when they are not */
function accessOf({ resource, subresource, name }: ResourceRequest): ScaleAccess {
  const access = subresource?.scale ?? builtInScale(resource);
  if (!access) throw notFound(resource, name);
  return access;
}

function scaleOf(object: KubeObject, access: ScaleAccess): Scale {
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

/** GET of `/scale`. */
export function getScale(cluster: Cluster, asked: ResourceRequest, presenter: Presenter): Answer {
  const access = accessOf(asked);
  const object = getObject(cluster, asked.resource, asked.namespace, asked.name);
  if (!asked.resource.builtIn && access.read(object).replicas === undefined) {
    throw internalError(
      `the spec replicas field ${JSON.stringify(access.specReplicasPath)} does not exist`,
    );
  }
  return presenter.object(200, scaleOf(object, access));
}

/** PUT of `/scale`. */
export async function putScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Promise<Answer> {
  const query = parseWriteQuery(asked.request.query, "update");
  const scale = await readObject(asked, query);
  matchName(scale, asked.name);
  return writeScale(cluster, asked, presenter, writeOptions(asked, query), true, () => scale);
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
  const patch = await readPatch(asked, patchForm(type));
  const options = writeOptions(asked, query);
  return writeScale(cluster, asked, presenter, options, false, (live) =>
    checkPatched(asked, patched(type, live, patch, findBuiltInSchema(SCALE) ?? {}), patch, query),
  );
}

async function writeScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
  options: WriteOptions,
  replaces: boolean,
  change: (live: KubeObject) => KubeObject,
): Promise<Answer> {
  const access = accessOf(asked);
  const endpoint = scaleEndpoint(asked);
  const updated = updateObject(
    cluster,
    endpoint,
    asked.namespace,
    asked.name,
    (live) => {
      const wanted = change(scaleOf(live, access)) as Scale;
      const object = copyJson(live);
      access.write(object, replicasOf(asked, wanted));
      // A stale version or another uid in the Scale is a conflict about the object.
      object.metadata.resourceVersion = wanted.metadata.resourceVersion ?? "";
      object.metadata.uid = wanted.metadata.uid ?? live.metadata.uid ?? "";
      trackReplicas(cluster, endpoint, access, live, object, options.manager);
      return object;
    },
    { ...options, replaces },
  );
  await cluster.store.durable();
  return presenter.object(200, scaleOf(updated, access));
}

function scaleEndpoint({ resource }: ResourceRequest): Endpoint {
  return {
    resource,
    subresource: "scale",
    // Methods of a strategy may live on its class.
    strategy: Object.create(resource.strategy, {
      allowUnconditionalUpdate: { value: true },
    }) as Endpoint["strategy"],
  };
}

function replicasOf({ resource, name }: ResourceRequest, scale: Scale): number {
  if (!resource.builtIn && scale.spec?.replicas === undefined) {
    throw badRequest(`the spec replicas field ".spec.replicas" cannot be empty`);
  }
  const replicas = scale.spec?.replicas ?? 0;
  if (resource.builtIn && replicas < 0) {
    throw invalid({ group: "autoscaling", kind: "Scale" }, name, [
      invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  return replicas;
}

/** Through a Scale one comes to own the replicas only if somebody owned them before; such entries have no time. */
function trackReplicas(
  cluster: Cluster,
  endpoint: Endpoint,
  access: ScaleAccess,
  live: KubeObject,
  object: KubeObject,
  manager: string,
): void {
  const path = access.specReplicasPath.split(".").filter((step) => step !== "");
  const owned = (live.metadata.managedFields ?? []).some(({ fieldsV1 }) =>
    ownsPath(fieldsV1 ?? {}, path),
  );
  if (!owned) return;
  trackChange(cluster, endpoint, live, object, manager);
  dropTimes(object);
}

function ownsPath(fields: JsonObject, path: readonly string[]): boolean {
  let node: unknown = fields;
  for (const step of path) {
    node = isJsonObject(node) ? getField(node, `f:${step}`) : undefined;
  }
  return node !== undefined;
}

function dropTimes(object: KubeObject): void {
  for (const entry of object.metadata.managedFields ?? []) {
    if (entry.subresource === "scale") delete entry.time;
  }
}

async function applyScale(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Promise<Answer> {
  const { resource, namespace, name, request } = asked;
  const query = parseWriteQuery(request.query, "apply");
  const { config, refusal } = await readConfiguration(asked, query);
  const access = accessOf(asked);
  const endpoint = scaleEndpoint(asked);
  const spec = config["spec"];
  const updated = updateObject(
    cluster,
    endpoint,
    namespace,
    name,
    (live) => {
      const parent = {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: { name, namespace },
      } as KubeObject;
      if (isJsonObject(spec) && typeof spec["replicas"] === "number") {
        access.write(parent, spec["replicas"]);
      }
      const by = { manager: query.fieldManager, force: query.force };
      const object = applyTo(cluster, endpoint, live, parent as unknown as JsonObject, by);
      if (refusal) throw refusal;
      dropTimes(object);
      return object;
    },
    { ...writeOptions(asked, query), replaces: false },
  );
  await cluster.store.durable();
  return presenter.object(200, scaleOf(updated, access));
}
