/** POST, PUT and DELETE requests. */
import { copyJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { hasReason } from "../../../kube/status.ts";
import { formOf, readDeletion, readObject } from "./body.ts";
import {
  type Cluster,
  type Endpoint,
  type WriteOptions,
  mainEndpoint,
  storedAt,
  subresourceEndpoint,
} from "../cluster/cluster.ts";
import { type CreateOptions, createObject } from "../write/create.ts";
import { matchName, matchNamespace } from "../write/match-path.ts";
import { deleteObject, warnOfDeletion } from "../write/delete.ts";
import { noSuchResource } from "../../failures.ts";
import { trackChange } from "../write/field-ownership.ts";
import { permitCreate } from "./permission.ts";
import { parseListQuery, writeOptions } from "./query.ts";
import { readPage } from "./read-requests.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { type UpdateOptions, updateObject, wrongUid } from "../write/update.ts";

/**
 * The endpoint of the path.
 *
 * @throws StatusError 404 for a subresource that does not write an object
 */
export function endpointOf({ resource, subresource }: ResourceRequest): Endpoint {
  if (!subresource) return mainEndpoint(resource);
  const endpoint = subresourceEndpoint(resource, subresource.name);
  if (!endpoint) throw noSuchResource();
  return endpoint;
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
  // Another media type is refused before anything else.
  const form = formOf(asked);
  const options = writeOptions(asked, "create");
  const object = await readObject(asked, options, form);
  if (asked.name !== "") object.metadata.name ??= asked.name;
  return answerCreate(cluster, asked, object, options);
}

/** PUT of an object or of its status. */
export async function updateRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { resource, namespace, name } = asked;
  // Another media type is refused before anything else.
  const form = formOf(asked);
  const options = writeOptions(asked, "update");
  const sent = await readObject(asked, options, form);
  matchName(sent, name);
  matchNamespace(resource, namespace, sent);
  const endpoint = endpointOf(asked);
  const { strategy } = endpoint;
  if (strategy.allowCreateOnUpdate) {
    const create = (): Promise<Outcome> => createByUpdate(cluster, asked, copyJson(sent), options);
    const created = await createMissing(cluster, asked, create);
    if (created) return created;
  }
  const change = (live: SentObject): SentObject => {
    // Another write may come first; then this one is retried.
    const object = copyJson(sent);
    strategy.setDefaults(object);
    trackChange({ cluster, endpoint, options }, live, object);
    return object;
  };
  return answerUpdate(cluster, asked, endpoint, change, { ...options, replaces: true });
}

/**
 * Creates the object of a write that may also update. `undefined` if it exists, also if another write created it while
 * this one was admitted: then this write updates it.
 */
export async function createMissing(
  cluster: Cluster,
  { resource, namespace, name }: ResourceRequest,
  create: () => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const exists = (): boolean => storedAt(cluster, resource, namespace, name) !== undefined;
  if (exists()) return undefined;
  try {
    return await create();
  } catch (thrown) {
    if (hasReason(thrown, "AlreadyExists") && exists()) return undefined;
    throw thrown;
  }
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

export async function deleteRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { deletion, options } = await readDeletion(asked);
  const write = { ...asked, cluster, endpoint: mainEndpoint(asked.resource), options };
  const { body, gone } = await deleteObject(write, deletion);
  await cluster.store.durable();
  return { code: deletion.orphanDependents === false && !gone ? 202 : 200, object: body };
}

/** DELETE of a collection: each object that is selected; the answer shows them as they were. */
export async function deleteCollectionRequest(
  cluster: Cluster,
  asked: ResourceRequest,
): Promise<Outcome> {
  const { resource } = asked;
  const query = parseListQuery(asked);
  const { deletion, options: common } = await readDeletion(asked);
  const options = { ...common, collection: true };
  warnOfDeletion(resource, deletion, options);
  const page = await readPage(cluster, asked, query);
  const endpoint = mainEndpoint(resource);
  for (const { metadata } of page.items) {
    const { namespace = "", name = "" } = metadata;
    try {
      await deleteObject({ cluster, endpoint, namespace, name, options }, deletion);
    } catch (thrown) {
      // An object in a list of an older version may be gone already.
      if (!hasReason(thrown, "NotFound")) throw thrown;
    }
  }
  await cluster.store.durable();
  return { page };
}
