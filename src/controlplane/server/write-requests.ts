/**
 * POST, PUT, PATCH and DELETE requests.
 *
 * @module
 */
import { copyJson } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";
import { applyJsonPatch, applyMergePatch } from "../../kube/patch.ts";
import { readObject } from "./body.ts";
import { type Cluster, type Endpoint, type WriteOptions, mainEndpoint } from "./cluster.ts";
import { createObject, matchNamespace } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { badRequest, noSuchResource } from "./failures.ts";
import { listObjects } from "./list.ts";
import { trackChange } from "./ownership.ts";
import { type WriteQuery, parseListQuery, parseWriteQuery } from "./query.ts";
import { jsonAnswer, listObject } from "./render.ts";
import { type Answer, type ResourceRequest, headerOf, managerOf } from "./request.ts";
import { updateObject } from "./update.ts";

function writeOptions({ request, warnings }: ResourceRequest, query: WriteQuery): WriteOptions {
  return {
    user: request.user,
    manager: managerOf(request, query.fieldManager),
    dryRun: query.dryRun,
    warn: (text) => void warnings.push(text),
  };
}

function endpointOf({ resource, subresource }: ResourceRequest): Endpoint {
  if (!subresource) return mainEndpoint(resource);
  if (!subresource.strategy) throw noSuchResource();
  return { resource, subresource: subresource.name, strategy: subresource.strategy };
}

/** POST to a collection. */
export async function createRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const query = parseWriteQuery(asked.request.query, "create");
  const object = await readObject(asked);
  const options = writeOptions(asked, query);
  const created = createObject(cluster, asked.resource, asked.namespace, object, options);
  await cluster.store.durable();
  return jsonAnswer(201, created);
}

/** PUT of an object or of its status. */
export async function updateRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const { resource, namespace, name, request } = asked;
  const query = parseWriteQuery(request.query, "update");
  const object = await readObject(asked);
  matchName(object, name);
  matchNamespace(resource, namespace, object);
  const endpoint = endpointOf(asked);
  const options = writeOptions(asked, query);
  const updated = updateObject(
    cluster,
    endpoint,
    namespace,
    name,
    (live) => {
      endpoint.strategy.setDefaults(object);
      trackChange(cluster, endpoint, live, object, options.manager);
      return object;
    },
    { ...options, replaces: true },
  );
  await cluster.store.durable();
  return jsonAnswer(200, updated);
}

function matchName(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "") {
    throw badRequest(
      `the name of the object (${given} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
}

/** PATCH of an object or of its status. */
export async function patchRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const { namespace, name, request } = asked;
  const type = headerOf(request, "content-type").split(";")[0]?.trim() ?? "";
  const query = parseWriteQuery(request.query, "patch");
  const patch: unknown = JSON.parse(Buffer.from(await request.body()).toString("utf8"));
  const endpoint = endpointOf(asked);
  const options = writeOptions(asked, query);
  const updated = updateObject(
    cluster,
    endpoint,
    namespace,
    name,
    (live) => {
      const object =
        type === "application/json-patch+json"
          ? (applyJsonPatch(copyJson(live), patch) as KubeObject)
          : (applyMergePatch(
              copyJson(live) as unknown as JsonObject,
              patch,
            ) as unknown as KubeObject);
      endpoint.strategy.setDefaults(object);
      trackChange(cluster, endpoint, live, object, options.manager);
      return object;
    },
    { ...options, replaces: false },
  );
  await cluster.store.durable();
  return jsonAnswer(200, updated);
}

/** DELETE of an object. */
export async function deleteRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const query = parseWriteQuery(asked.request.query, "delete");
  const { body } = deleteObject(
    cluster,
    asked.resource,
    asked.namespace,
    asked.name,
    {},
    writeOptions(asked, query),
  );
  await cluster.store.durable();
  return jsonAnswer(200, body);
}

/** DELETE of a collection: each object that the selectors mean; the answer shows them as they were. */
export async function deleteCollectionRequest(
  cluster: Cluster,
  asked: ResourceRequest,
): Promise<Answer> {
  const { resource, request, namespace } = asked;
  const query = parseWriteQuery(request.query, "delete");
  const page = listObjects(cluster, resource, parseListQuery(request.query, resource, namespace));
  for (const { metadata } of page.items) {
    deleteObject(
      cluster,
      resource,
      metadata.namespace ?? "",
      metadata.name ?? "",
      {},
      writeOptions(asked, query),
    );
  }
  await cluster.store.durable();
  return jsonAnswer(200, listObject(resource, page));
}
