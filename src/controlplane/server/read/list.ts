/** GET of one object and of collections: selectors, pages, and states as of a version. */
import type { SentObject, ListMeta } from "../../../kube/object.ts";
import {
  type FieldRequirement,
  type LabelRequirement,
  matchesFields,
  matchesLabels,
} from "../../../kube/selectors/selector.ts";
import { failure } from "../../../kube/status.ts";
import type { ServedResource } from "../../kinds.ts";
import { type Cluster, storedAt } from "../cluster/cluster.ts";
import { type ContinuePoint, readContinue, writeContinue } from "./continue-token.ts";
import { expired, notFound, tooLargeVersion } from "../../failures.ts";
import { collectionOf } from "../../resource-name.ts";
import { readAs } from "../cluster/versions.ts";

export interface ObjectFilter {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

/** The parameters of a list; their combination is validated already. */
export interface ListQuery extends ObjectFilter {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly limit: number;
  readonly continueToken: string;
  /** Empty for the latest version. */
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
}

/** The objects of one page, frozen. */
export interface ListPage {
  readonly metadata: ListMeta;
  readonly items: readonly SentObject[];
}

/** How long a read waits for a future version, in milliseconds. */
const FUTURE_VERSION_WAIT_MS = 3000;

/**
 * Resolves once the store has reached `version`.
 *
 * @throws StatusError 504 after three seconds
 */
export async function waitForVersion(
  { store, clock }: Cluster,
  resource: ServedResource,
  version: number,
): Promise<void> {
  if (version <= store.version) return;
  if (!isCached(resource)) {
    const error = tooLargeVersion(version, store.version);
    delete error.status.details?.retryAfterSeconds;
    throw error;
  }
  await clock.sleep(FUTURE_VERSION_WAIT_MS);
  if (version > store.version) throw tooLargeVersion(version, store.version);
}

/** Whether the real server has a watch cache for the resource; without one, reads do not wait. */
const isCached = (resource: ServedResource): boolean => collectionOf(resource) !== "events";

/** One object as `resource` shows it. @throws StatusError 404 */
export function getObject(
  cluster: Cluster,
  resource: ServedResource,
  namespace: string,
  name: string,
): SentObject {
  const object = storedAt(cluster, resource, namespace, name);
  if (object) return readAs(cluster, resource, object);
  const { group, plural } = resource;
  throw notFound(
    { group, plural: plural === "componentstatuses" ? "componentstatus" : plural },
    name,
  );
}

/** The value of a field that a selector uses. */
function fieldValue(resource: ServedResource, object: SentObject, field: string): string {
  if (field === "metadata.name") return object.metadata.name ?? "";
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  return resource.selectableFields?.[field]?.(object) ?? "";
}

/** Whether the selectors match an object as `resource` shows it. */
export function isSelected(
  resource: ServedResource,
  { labels, fields }: ObjectFilter,
  object: SentObject,
): boolean {
  return (
    matchesLabels(labels, object.metadata.labels) &&
    matchesFields(fields, (field) => fieldValue(resource, object, field))
  );
}

/** A page of a collection. @throws StatusError 400 for a bad token, 410 for one that has expired */
export function listObjects(
  cluster: Cluster,
  resource: ServedResource,
  query: ListQuery,
): ListPage {
  const start = query.continueToken === "" ? undefined : readContinue(query.continueToken);
  const version = listVersion(cluster, resource, query, start);
  const collection = collectionOf(resource);
  const metadata: ListMeta = { resourceVersion: String(version) };
  // Lists of custom resources always have `continue`, even when it is empty.
  if (!resource.builtIn) metadata.continue = "";
  const selective = query.labels.length > 0 || query.fields.length > 0;
  // A read from the watch cache (version 0) has no pages, as in the real server.
  const paged = query.limit > 0 && (query.resourceVersion !== "0" || !isCached(resource));
  if (!paged && start === undefined && version === cluster.store.version) {
    const objects = cluster.store
      .list(collection, query.namespace)
      .map((object) => readAs(cluster, resource, object));
    if (!selective) return { metadata, items: objects };
    return { metadata, items: objects.filter((object) => isSelected(resource, query, object)) };
  }
  const prefix = query.namespace === "" ? "" : `${query.namespace}/`;
  const only = resource.namespaced && prefix === "" ? undefined : selectedName(query);
  // "0" follows "/" in ASCII, so this is the end of all keys with the prefix.
  const end = prefix === "" ? undefined : `${query.namespace}0`;
  const state = cluster.store.stateAt(collection, version, prefix + (start?.key ?? ""), end);
  const rest = only === undefined ? state.keys : state.keys.filter((key) => key === prefix + only);
  const items: SentObject[] = [];
  let taken = 0;
  for (const key of rest) {
    if (paged && items.length >= query.limit) break;
    taken++;
    const object = state.get(key);
    const visible = object && readAs(cluster, resource, object);
    if (visible && isSelected(resource, query, visible)) items.push(visible);
  }
  if (taken >= rest.length) return { metadata, items };
  const last = (rest[taken - 1] ?? "").slice(prefix.length);
  return {
    metadata: {
      ...metadata,
      continue: writeContinue({ version, key: `${last}\u0000` }, isCached(resource)),
      ...(selective ? {} : { remainingItemCount: rest.length - taken }),
    },
    items,
  };
}

/** The one name that the field selector allows; a list of it reads just that key. */
function selectedName({ fields }: ListQuery): string | undefined {
  return fields.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value;
}

function listVersion(
  { store }: Cluster,
  resource: ServedResource,
  query: ListQuery,
  start: ContinuePoint | undefined,
): number {
  const oldest = store.oldestVersion(collectionOf(resource));
  if (start) {
    if (start.version < 0) return store.version;
    if (start.version > store.version) throw tooLargeVersion(start.version, store.version);
    if (start.version >= oldest) return start.version;
    throw expiredToken(start.key);
  }
  const wanted = Number(query.resourceVersion || "0");
  const exact = query.match === "Exact" || (query.match === "" && query.limit > 0);
  if (wanted === 0 || !exact) return store.version;
  if (wanted < oldest) throw expired("The resourceVersion for the provided list is too old.");
  return wanted;
}

function expiredToken(key: string): Error {
  const error = failure(
    410,
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  error.status.metadata.continue = writeContinue({ version: -1, key }, false);
  return error;
}
