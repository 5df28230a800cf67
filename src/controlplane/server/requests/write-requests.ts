/** POST, PUT, PATCH and DELETE requests. */
import { copyJson } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { StatusError } from "../../../kube/status.ts";
import { checkMediaType, readDeletion, readObject } from "./body.ts";
import {
  type Cluster,
  type Endpoint,
  type WriteOptions,
  mainEndpoint,
} from "../cluster/cluster.ts";
import { type CreateOptions, createObject } from "../write/create.ts";
import { matchName, matchNamespace } from "../write/match-path.ts";
import { deleteObject, warnOfDeletion } from "../write/delete.ts";
import { noSuchResource } from "../../failures.ts";
import { listObjects, waitForVersion } from "../read/list.ts";
import { trackChange } from "../write/ownership.ts";
import { permitCreate } from "./permission.ts";
import { type WriteQuery, checkPlace, isPage, parseListQuery, parseWriteQuery } from "./query.ts";
import { type Outcome, type ResourceRequest, managerOf } from "./request.ts";
import { type UpdateOptions, updateObject, wrongUid } from "../write/update.ts";
import { convertingList } from "../cluster/versions.ts";
import { collectionOf } from "../../resource-name.ts";
import { storeKey } from "../../store/store.ts";

/** The write options of a request. */
export function writeOptions(
  { request, warnings }: ResourceRequest,
  query: Pick<WriteQuery, "dryRun" | "fieldManager"> & { readonly asked?: JsonObject },
): WriteOptions {
  return {
    user: request.user,
    manager: managerOf(request, query.fieldManager),
    dryRun: query.dryRun,
    asked: query.asked ?? {},
    warn: (text) => void warnings.push(text),
  };
}

/**
 * The endpoint of the path.
 *
 * @throws StatusError 404 for a subresource that does not write an object
 */
export function endpointOf({ resource, subresource }: ResourceRequest): Endpoint {
  if (!subresource) return mainEndpoint(resource);
  if (!subresource.strategy) throw noSuchResource();
  return { resource, subresource: subresource.name, strategy: subresource.strategy };
}

/** Stores the new object and answers with it, once it is durable. @throws StatusError */
export async function answerCreate(
  cluster: Cluster,
  { resource, namespace }: ResourceRequest,
  object: SentObject,
  options: CreateOptions,
): Promise<Outcome> {
  const place = { cluster, endpoint: mainEndpoint(resource), namespace, options };
  const created = await createObject(place, object);
  await cluster.store.durable();
  return { code: 201, object: created };
}

/**
 * Changes the object of the path and answers with it, once the change is durable.
 *
 * @throws StatusError
 */
export async function answerUpdate(
  cluster: Cluster,
  { namespace, name }: ResourceRequest,
  endpoint: Endpoint,
  change: (live: SentObject) => SentObject,
  options: UpdateOptions,
): Promise<Outcome> {
  const updated = await updateObject({ cluster, endpoint, namespace, name, options }, change);
  await cluster.store.durable();
  return { code: 200, object: updated };
}

/** POST to a collection. */
export async function createRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  checkMediaType(asked);
  const query = parseWriteQuery(asked.request.query, "create");
  const object = await readObject(asked, query);
  if (asked.name !== "") nameFromPath(object, asked.name);
  return answerCreate(cluster, asked, object, writeOptions(asked, query));
}

function nameFromPath(object: SentObject, name: string): void {
  object.metadata.name ??= name;
}

/** PUT of an object or of its status. */
export async function updateRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { resource, namespace, name, request } = asked;
  checkMediaType(asked);
  const query = parseWriteQuery(request.query, "update");
  const sent = await readObject(asked, query);
  matchName(sent, name);
  matchNamespace(resource, namespace, sent);
  const endpoint = endpointOf(asked);
  const options = writeOptions(asked, query);
  const exists = cluster.store.get(collectionOf(resource), storeKey(namespace, name));
  if (!exists && endpoint.strategy.allowCreateOnUpdate) {
    return createByUpdate(cluster, asked, sent, options);
  }
  return answerUpdate(
    cluster,
    asked,
    endpoint,
    (live) => {
      // Another write may come first; then this one is retried.
      const object = copyJson(sent);
      endpoint.strategy.setDefaults(object);
      trackChange({ cluster, endpoint, options }, live, object);
      return object;
    },
    { ...options, replaces: true },
  );
}

/** PUT of a missing object, for kinds that accept it as a POST. */
async function createByUpdate(
  cluster: Cluster,
  asked: ResourceRequest,
  object: SentObject,
  options: WriteOptions,
): Promise<Outcome> {
  const { resource, namespace, name } = asked;
  permitCreate(cluster, asked);
  const { uid = "" } = object.metadata;
  if (uid !== "") throw wrongUid(resource, namespace, name, uid, "");
  delete object.metadata.resourceVersion;
  return answerCreate(cluster, asked, object, options);
}

/** DELETE of an object. */
export async function deleteRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { deletion, dryRun, shown } = await readDeletion(asked);
  const { resource, namespace, name } = asked;
  const endpoint = mainEndpoint(resource);
  const options = writeOptions(asked, { dryRun, fieldManager: "", asked: shown });
  const { body, gone } = await deleteObject(
    { cluster, endpoint, namespace, name, options },
    deletion,
  );
  await cluster.store.durable();
  return { code: deletion.orphanDependents === false && !gone ? 202 : 200, object: body };
}

/** Ignores a 404: an object in a list of an older version may be gone already. */
function unlessGone(thrown: unknown): void {
  if (!(thrown instanceof StatusError) || thrown.status.reason !== "NotFound") throw thrown;
}

/**
 * DELETE of a collection: each object that the selectors match; the answer shows them as they were.
 */
export async function deleteCollectionRequest(
  cluster: Cluster,
  asked: ResourceRequest,
): Promise<Outcome> {
  const { resource, request, namespace } = asked;
  const query = parseListQuery(request.query, resource, namespace);
  const { deletion, dryRun, shown } = await readDeletion(asked);
  const options = {
    ...writeOptions(asked, { dryRun, fieldManager: "", asked: shown }),
    collection: true,
  };
  warnOfDeletion(resource, deletion, options);
  checkPlace(query);
  await waitForVersion(cluster, resource, Number(query.resourceVersion || "0"));
  const place = { resource, namespace, isPaged: isPage(query) };
  const page = await convertingList(cluster, place, () => listObjects(cluster, resource, query));
  for (const { metadata } of page.items) {
    const { namespace: of = "", name = "" } = metadata;
    const write = { cluster, endpoint: mainEndpoint(resource), namespace: of, name, options };
    await deleteObject(write, deletion).catch(unlessGone);
  }
  await cluster.store.durable();
  return { page };
}
