/**
 * Applies for an owner, and refuses objects that another one controls.
 *
 * Server-side apply by one field manager replaces what that manager applied before, the reference
 * to the controller included, and an operator is one field manager for all its owners. So the
 * controller of an object is checked first, and the apply carries the version that was checked: the
 * server refuses it when the object has changed since.
 */
import { TsopError } from "../../errors.ts";
import type { AnyIntent, Intent, IntentMeta } from "../../kube/input.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { controllerOf, setControllerReference } from "../../kube/owner.ts";
import {
  apiVersionOf,
  groupResourceOf,
  metadataOf,
  resourceOf,
  type ResourceInfo,
  type Token,
} from "../../kube/resource.ts";
import { isConflict, isForbidden, isInvalid, type StatusError } from "../../kube/status.ts";
import type { Client } from "./client.ts";

// A version that no object has, because the server used the first versions for itself. An apply
// with this version fails if the object exists; it has no effect on the creation of an object. So
// it means: create only.
const NO_VERSION = "1";
const CONFLICT_TRIES = 4;

interface OwnedApply<T extends KubeObject> {
  readonly token: Token<T>;
  readonly intent: Intent<T>;
  readonly owner: KubeObject;
  /** The known object, or `undefined` for a known absence; an empty list when it must be read. */
  readonly known: readonly [] | readonly [KubeObject | undefined];
}

/** The key of an object applied for an owner; the owner's namespace is the default. */
export function keyOfOwned(
  resource: ResourceInfo,
  { metadata: { name, namespace: own } }: AnyIntent,
  owner: KubeObject | undefined,
): ObjectKey {
  const namespace = own ?? owner?.metadata.namespace;
  return { name, ...(namespace && resource.namespaced ? { namespace } : {}) };
}

/**
 * Applies an intent with `owner` as the controller, unless another object is the controller.
 *
 * @param apply - sends an intent; it is called again with the present object after a conflict
 * @throws TsopError `already-owned`, `owner-elsewhere`, `owner-incomplete`
 */
export async function applyAsOwner<T extends KubeObject>(
  client: Client,
  { token, intent, owner, known: [...given] }: OwnedApply<T>,
  apply: (intent: Intent<T>) => Promise<T>,
): Promise<T> {
  const resource = resourceOf(token);
  const key = keyOfOwned(resource, intent, owner);
  // The caller's own lock stays; the version that was checked must match it.
  const { resourceVersion: lock } = intent.metadata;
  const read = (): Promise<KubeObject | undefined> => client.live.find(metadataOf(token), key);
  let known = given.length === 0 ? await read() : given[0];
  if (lock !== undefined && known?.metadata.resourceVersion !== lock) known = await read();
  for (let attempt = 1; ; attempt++) {
    const owned = claimed(resource, { intent, owner, known }, key);
    const resourceVersion = lock ?? known?.metadata.resourceVersion ?? NO_VERSION;
    try {
      return await apply(withMetadata(owned, { ...owned.metadata, resourceVersion }));
    } catch (error) {
      if (isSecondController(error)) throw alreadyOwned(resource, key, error);
      if (!isOutdated(error) || lock !== undefined || attempt >= CONFLICT_TRIES) throw error;
      known = await read().catch((unread: unknown) => {
        throw isForbidden(unread) ? error : unread;
      });
    }
  }
}

/** The intent with the reference to its owner. @throws TsopError `already-owned`, `owner-elsewhere` */
function claimed<T extends KubeObject>(
  resource: ResourceInfo,
  { intent, owner, known }: { intent: Intent<T>; owner: KubeObject; known: KubeObject | undefined },
  key: ObjectKey,
): Intent<T> {
  const { kind, namespaced } = resource;
  const ownerNamespace = owner.metadata.namespace;
  if (!namespaced && ownerNamespace) {
    throw new TsopError(
      "owner-elsewhere",
      `The ${kind} ${key.name} is cluster-scoped, so the ${owner.kind} ${owner.metadata.name} in namespace ${ownerNamespace} cannot own it.`,
      "Use a cluster-scoped owner; otherwise the garbage collector deletes the object.",
    );
  }
  const metadata = { ...intent.metadata };
  const body = { apiVersion: apiVersionOf(resource), kind, metadata };
  if (namespaced && key.namespace) metadata.namespace = key.namespace;
  // Computed on a copy: other owner references of the object are not for us to apply.
  const controller = known && controllerOf(known);
  if (controller) {
    const copy = { kind, metadata: { ...keyOf(known), ownerReferences: [controller] } };
    setControllerReference(copy, { owner });
  }
  setControllerReference(body, { owner });
  return withMetadata(intent, metadata);
}

function withMetadata<T extends KubeObject>(intent: Intent<T>, metadata: IntentMeta): Intent<T> {
  return Object.assign({}, intent, { metadata });
}

/** Whether the object has changed since; a conflict of field managers is another matter. */
function isOutdated(error: unknown): error is StatusError {
  const causes = isConflict(error) ? error.status.details?.causes : undefined;
  return isConflict(error) && !causes?.some(({ reason }) => reason === "FieldManagerConflict");
}

/**
 * The API server's words:
 * `Only one reference can have Controller set to true. Found "true" in references for ...`.
 */
function isSecondController(error: unknown): error is StatusError {
  return isInvalid(error) && error.message.includes("Only one reference can have Controller set");
}

function alreadyOwned(resource: ResourceInfo, key: ObjectKey, cause: StatusError): TsopError {
  return new TsopError(
    "already-owned",
    `${resource.kind} ${key.name} is already controlled by another object: ${groupResourceOf(resource)} can have one controller.`,
    "Give the object another name, or let the other controller have it.",
    { cause },
  );
}
