/**
 * Objects whose name a user chooses, such as the Secret of a certificate: an existing object of
 * that name may belong to somebody else, and is then neither read, changed nor deleted.
 */
import { TsopError } from "../../errors.ts";
import type { NewObject } from "../../kube/input.ts";
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { isControlledBy, setControllerReference, type OwnedBy } from "../../kube/owner.ts";
import { metadataOf, resourceOf, type ReadToken, type Token } from "../../kube/resource.ts";
import { isNotFound } from "../../kube/status.ts";
import type { Client, DeleteOptions, WriteOptions } from "./client.ts";
import { createOrUpdate, type CreateOrUpdateResult } from "./create-or-update.ts";
import { keyOfOwned } from "./owned-apply.ts";

/**
 * The object of that key, which `owner` controls; `undefined` when there is none. A key without a
 * namespace is in the owner's.
 *
 * @example
 * const secret = await findOwned(client, Secret, { name: "web-login" }, { owner: web });
 *
 * @throws TsopError `not-owned` when it exists and `owner` does not control it
 */
export async function findOwned<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  key: ObjectKey,
  by: OwnedBy,
): Promise<T | undefined> {
  const found = await client.find(token, keyBy(token, key, by));
  if (found) mustBeOwned(token, found, by);
  return found;
}

/**
 * Makes the object of that key as `mutate` wants it, as `createOrUpdate` does, with `owner` as its
 * controller. An existing object must have that controller. A key without a namespace is in the
 * owner's.
 *
 * @example
 * await createOrUpdateOwned(
 *   client,
 *   Secret,
 *   { name: "web-login" },
 *   (secret) => {
 *     secret.data = secretData({ password: "secret" });
 *   },
 *   { owner: web },
 * );
 *
 * @throws TsopError `not-owned` when it exists and `owner` does not control it
 * @throws StatusError 409 when somebody else wrote in between: let the reconcile fail, it is
 *   retried
 */
export function createOrUpdateOwned<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
  { owner, ...options }: OwnedBy & WriteOptions,
): Promise<{ readonly result: CreateOrUpdateResult; readonly object: T }> {
  const claim = (object: NewObject<T>): void => {
    // A stored object has a uid.
    if (object.metadata.uid !== undefined) mustBeOwned(token, object, { owner });
    mutate(object);
    setControllerReference(object, { owner });
  };
  return createOrUpdate(client, token, keyBy(token, key, { owner }), claim, options);
}

/**
 * Deletes the object of that key, which `owner` controls; nothing where there is none. The
 * controller is read from the server, and only the version that was read is deleted. A key without
 * a namespace is in the owner's.
 *
 * @example
 * await deleteOwned(client, Secret, { name: "web-login" }, { owner: web });
 *
 * @throws TsopError `not-owned` when it exists and `owner` does not control it
 * @throws StatusError 409 when somebody else wrote in between: let the reconcile fail, it is
 *   retried
 */
export async function deleteOwned<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  { owner, ...options }: OwnedBy & Omit<DeleteOptions, "preconditions">,
): Promise<void> {
  const found = await client.live.find(metadataOf(token), keyBy(token, key, { owner }));
  if (!found) return;
  mustBeOwned(token, found, { owner });
  const { uid, resourceVersion } = found.metadata;
  try {
    const preconditions = { uid, resourceVersion };
    await client.delete(token, keyOf(found), { ...options, preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function keyBy(token: ReadToken, key: ObjectKey, { owner }: OwnedBy): ObjectKey {
  return keyOfOwned(resourceOf(token), { metadata: key }, owner);
}

/** @throws TsopError `not-owned` */
function mustBeOwned(
  token: ReadToken,
  object: { readonly metadata: KubeObject["metadata"] | NewObject<KubeObject>["metadata"] },
  { owner }: OwnedBy,
): void {
  if (isControlledBy(object, { owner })) return;
  const { name = "", namespace } = object.metadata;
  const key = formatKey({ name, ...(namespace !== undefined && { namespace }) });
  throw new TsopError(
    "not-owned",
    `The ${resourceOf(token).kind} ${key} already exists, but the ${owner.kind} ${owner.metadata.name} does not control it.`,
    `Delete it, or give the object that the ${owner.kind} owns another name.`,
  );
}
