/** Read, change, write back: for objects with several writers, without server-side apply. */
import { TsopError } from "../../errors.ts";
import type { NewObject } from "../../kube/input.ts";
import { copyJson, sameJson } from "../../kube/json.ts";
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { apiVersionOf, resourceOf, type Token } from "../../kube/resource.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../kube/status.ts";
import { mutableCopy, withoutManagedFields } from "../cache/freeze.ts";
import type { Client, WriteOptions } from "./client.ts";
import { difference, mergePatch } from "./patches.ts";
import { isStatusPatched } from "./status-patch.ts";

/** The action of `createOrUpdate`. */
export type CreateOrUpdateResult = "created" | "updated" | "unchanged";

/** The result of `createOrPatch`. */
export interface CreateOrPatchResult<T extends KubeObject> {
  /** The action on all but the status. */
  readonly result: CreateOrUpdateResult;
  /** Whether the status was patched. */
  readonly statusPatched: boolean;
  /** The object as the server stored it. */
  readonly object: T;
}

interface Wanted<T extends KubeObject> {
  readonly token: Token<T>;
  readonly key: ObjectKey;
  readonly mutate: (object: NewObject<T>) => void;
  readonly options: WriteOptions;
}

// The limit of conflicts: another writer that is faster so often is in a loop; the reconcile then
// fails, and is retried later.
const CONFLICT_TRIES = 5;

/**
 * Creates or updates the object of `key` as `mutate` wants it. `mutate` gets the present object, or
 * one with only its name, and changes it in place; where it changes nothing, nothing is written.
 *
 * @example
 * const { result } = await createOrUpdate(client, ConfigMap, key, (map) => {
 *   map.data = { ...map.data, page: "hello" };
 *   setControllerReference(map, { owner: web });
 * });
 *
 * @throws StatusError 409 when somebody else wrote in between: let the reconcile fail, it is
 *   retried
 * @throws TsopError `mutated-key` when `mutate` changes the name or the namespace
 */
export async function createOrUpdate<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
  options: WriteOptions = {},
): Promise<{ readonly result: CreateOrUpdateResult; readonly object: T }> {
  const wanted = { token, key, mutate, options };
  const found = await client.find(token, key);
  if (!found) {
    const object = await client.create(token, mutated(wanted, freshObject(wanted)), options);
    return { result: "created", object };
  }
  const changed = mutated(wanted, mutableCopy(found));
  if (sameJson(found, changed)) return { result: "unchanged", object: found };
  const object = await client.update(token, changed, options);
  return { result: isUnchanged(found, object) ? "unchanged" : "updated", object };
}

/** Whether a write changed nothing: what was written is stored as it was. A dry run does not change the version. */
function isUnchanged(found: KubeObject, answer: KubeObject): boolean {
  return sameJson(withoutManagedFields(found), withoutManagedFields(answer));
}

/**
 * Creates or patches the object of `key` as `mutate` wants it, and sends only the difference to the
 * present object; the status, where it changes, by its subresource. Writes of others in between are
 * never overwritten: the object is read again and `mutate` called once more, so it must do nothing
 * but change the object that it is given.
 *
 * @example
 * const { result, statusPatched } = await createOrPatch(client, Web, key, (web) => {
 *   web.spec = { ...web.spec, replicas: 3 };
 *   web.status = { ...web.status, readyReplicas: 0 };
 * });
 *
 * @throws StatusError 409 when others are faster each time
 * @throws TsopError `mutated-key` when `mutate` changes the name or the namespace
 */
export async function createOrPatch<T extends KubeObject & { status?: object }>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
  options: WriteOptions = {},
): Promise<CreateOrPatchResult<T>> {
  const wanted = { token, key, mutate, options };
  const progress: Progress = { result: "unchanged" };
  let found = await client.find(token, key);
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOrPatchOnce(client, wanted, found, progress);
    } catch (error) {
      if (!(isConflict(error) || isAlreadyExists(error)) || attempt >= CONFLICT_TRIES) throw error;
      found = await client.live.find(token, key);
    }
  }
}

/** The result of the earlier tries. */
interface Progress {
  result: CreateOrUpdateResult;
}

async function createOrPatchOnce<T extends KubeObject & { status?: object }>(
  client: Client,
  wanted: Wanted<T>,
  found: T | undefined,
  progress: Progress,
): Promise<CreateOrPatchResult<T>> {
  const { token, key, options } = wanted;
  if (!found) {
    const fresh = mutated(wanted, freshObject(wanted));
    const created = await client.create(token, fresh, options);
    progress.result = "created";
    // Fields that the server set itself stay, where `mutate` does not set them. A dry run leaves no
    // version.
    const status = created.metadata.resourceVersion ? statusIn(fresh) : undefined;
    return finished(client, wanted, created, status, progress);
  }
  const changed = mutated(wanted, copyJson(found));
  const content = difference(contentOf(found), contentOf(changed));
  let object = found;
  if (Object.keys(content).length > 0) {
    const locked = { ...options, optimisticLock: found };
    object = await client.patch(token, key, mergePatch(content), locked);
    const isUpdated = !isUnchanged(found, object);
    if (isUpdated && progress.result === "unchanged") progress.result = "updated";
  }
  const status = difference(statusIn(found) ?? {}, statusIn(changed) ?? {});
  return finished(client, wanted, object, status, progress);
}

/** Writes the status if it changed, and returns the result. */
async function finished<T extends KubeObject & { status?: object }>(
  client: Client,
  { token, options }: Wanted<T>,
  object: T,
  status: object = {},
  { result }: Progress,
): Promise<CreateOrPatchResult<T>> {
  if (Object.keys(status).length === 0 || isStatusPatched(object, status)) {
    return { result, statusPatched: false, object };
  }
  const body = mergePatch({ status });
  const locked = { ...options, optimisticLock: object };
  try {
    const patched = await client.subresource("status").patch(token, keyOf(object), body, locked);
    // The status subresource answers with the whole object.
    return { result, statusPatched: true, object: patched as T };
  } catch (error) {
    // A missing object has its name in the answer; without it there is no such subresource, and the status is a field.
    if (!isNotFound(error) || error.status.details?.name !== undefined) throw error;
    const patched = await client.patch(token, keyOf(object), body, locked);
    return { result, statusPatched: true, object: patched };
  }
}

function contentOf(object: object): object {
  return { ...object, status: undefined };
}

function statusIn(object: object): object | undefined {
  return (object as { status?: object }).status;
}

/** The object of the key before `mutate` has changed it. */
function freshObject<T extends KubeObject>({ token, key }: Wanted<T>): NewObject<T> {
  const resource = resourceOf(token);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { ...key },
    // `mutate` adds the other required fields of a T.
  } as unknown as NewObject<T>;
}

/** @throws TsopError `mutated-key` */
function mutated<T extends KubeObject, O extends T | NewObject<T>>(
  { key, mutate, token }: Wanted<T>,
  object: O,
): O {
  // An object that was read has all fields of a new one, and more.
  mutate(object as NewObject<T>);
  const { name = "", namespace } = object.metadata;
  if (name === key.name && (namespace ?? key.namespace) === key.namespace) return object;
  throw new TsopError(
    "mutated-key",
    `The function that changes the ${resourceOf(token).kind} ${formatKey(key)} changed its key to ${formatKey({ name, ...(namespace ? { namespace } : {}) })} : another object would be written.`,
    "Keep the name and the namespace, or pass the key of the intended object.",
  );
}
