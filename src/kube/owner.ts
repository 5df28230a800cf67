/**
 * Owner references, which the garbage collector and `owns()` follow.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
import { TsopError } from "../errors.ts";
import type { WrittenMeta } from "./input.ts";
import type { KubeObject, OwnerReference } from "./object.ts";
import { parseApiVersion } from "./resource.ts";

/** The owned object: an existing one, or one about to be created. */
export interface Owned {
  kind?: string | undefined;
  metadata?: Pick<WrittenMeta, "name" | "namespace" | "ownerReferences"> | undefined;
}

/**
 * By whom. It is named, as both are objects: a call with the two swapped does not compile.
 *
 * @example
 * const by: OwnedBy = { owner: web };
 */
export interface OwnedBy {
  /** The owner, as it was read from the cluster. */
  readonly owner: KubeObject;
}

/**
 * The owner reference to `owner`.
 *
 * @throws TsopError `owner-incomplete` when it was not read from a cluster: a reference needs its
 * uid
 */
function ownerReferenceTo(owner: KubeObject, controller: boolean): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!owner.apiVersion || !owner.kind || !name || !uid) {
    throw new TsopError(
      "owner-incomplete",
      `${owner.kind || "The owner"} ${name} cannot own anything: it has no apiVersion, kind, name or uid.`,
      "Use the object as the API server returned it, not one built by hand.",
    );
  }
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name,
    uid,
    ...(controller ? { controller: true, blockOwnerDeletion: true } : {}),
  };
}

/**
 * Makes `owner` the controller of `object`, in place: it is deleted with its owner, and `owns()`
 * sees it.
 *
 * @example
 * const child = { metadata: { namespace: "default", name: "page" } };
 * setControllerReference(child, { owner: web });
 * await client.create(ConfigMap, child);
 *
 * @throws TsopError `already-owned` when another object controls it; `owner-elsewhere` when the
 * owner lives in another namespace; `owner-incomplete`
 */
export function setControllerReference(object: Owned, { owner }: OwnedBy): void {
  const reference = ownerReferenceTo(owner, true);
  const current = controllerOf(object);
  if (current && !isSameOwner(current, reference)) {
    throw new TsopError(
      "already-owned",
      `${describe(object)} is already controlled by the ${current.kind} ${current.name}.`,
      "Give the object another name, or let the other controller have it.",
    );
  }
  putReference(owner, object, reference);
}

/**
 * Makes `owner` one of the owners of `object`, in place: it is deleted when the last of them is.
 *
 * @example
 * const shared = mutableCopy(configMap);
 * setOwnerReference(shared, { owner: web });
 * await client.update(ConfigMap, shared);
 *
 * @throws TsopError `owner-elsewhere`, `owner-incomplete`
 */
export function setOwnerReference(object: Owned, { owner }: OwnedBy): void {
  putReference(owner, object, ownerReferenceTo(owner, false));
}

/**
 * Removes `owner` from the owners of `object`, in place, also as its controller: it is no longer
 * deleted with it.
 *
 * @example
 * const orphan = mutableCopy(configMap);
 * if (removeOwnerReference(orphan, { owner: web })) await client.update(ConfigMap, orphan);
 *
 * @returns whether it was one of them
 */
export function removeOwnerReference(object: Owned, { owner }: OwnedBy): boolean {
  return removeReferences(object, (reference) => isReferenceTo(owner, reference));
}

/**
 * Removes `owner` as the controller of `object`, in place. Another controller, and a reference that
 * only owns, stay.
 *
 * @example
 * const orphan = mutableCopy(configMap);
 * if (removeControllerReference(orphan, { owner: web })) await client.update(ConfigMap, orphan);
 *
 * @returns whether it was the controller
 */
export function removeControllerReference(object: Owned, { owner }: OwnedBy): boolean {
  return removeReferences(
    object,
    (reference) => reference.controller === true && isReferenceTo(owner, reference),
  );
}

/**
 * Whether `owner` is one of the owners of `object`: by group, kind and name, as controller-runtime
 * compares, so also an earlier object of that name.
 *
 * @example
 * if (!hasOwnerReference(configMap, { owner: web })) return;
 */
export function hasOwnerReference(object: Owned, { owner }: OwnedBy): boolean {
  return (object.metadata?.ownerReferences ?? []).some((each) => isReferenceTo(owner, each));
}

/**
 * Whether `object` has a controller, whoever it is.
 *
 * @example
 * if (hasControllerReference(configMap)) return;
 */
export function hasControllerReference(object: Owned): boolean {
  return controllerOf(object) !== undefined;
}

/**
 * Whether `owner`, and no earlier object of that name, is the controller of `object`: by the uid,
 * as Go's `metav1.IsControlledBy`.
 *
 * @example
 * if (!isControlledBy(configMap, { owner: web })) return;
 */
export function isControlledBy(object: Owned, { owner }: OwnedBy): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata.uid;
}

/**
 * The reference to the controller of `object`, if it has one.
 *
 * @example
 * const owner = controllerOf(configMap)?.name;
 */
export function controllerOf(object: Pick<Owned, "metadata">): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

function putReference(owner: KubeObject, object: Owned, reference: OwnerReference): void {
  const ownerNamespace = owner.metadata.namespace;
  const metadata = (object.metadata ??= {});
  // An owned object without a namespace gets its owner's when it is written.
  if (ownerNamespace && metadata.namespace && metadata.namespace !== ownerNamespace) {
    throw new TsopError(
      "owner-elsewhere",
      `${describe(object)} in namespace ${metadata.namespace} cannot be owned by the ${owner.kind} ${reference.name} in ${ownerNamespace}.`,
      "Put both into one namespace, or use a cluster-scoped owner.",
    );
  }
  const known = metadata.ownerReferences ?? [];
  // In its place: with two owners that set theirs in turn the list would otherwise never stop
  // changing.
  const at = known.findIndex((other) => isSameOwner(other, reference));
  metadata.ownerReferences = at < 0 ? [...known, reference] : known.with(at, reference);
}

function removeReferences(
  { metadata }: Owned,
  isRemoved: (reference: OwnerReference) => boolean,
): boolean {
  const references = metadata?.ownerReferences ?? [];
  const kept = references.filter((reference) => !isRemoved(reference));
  if (!metadata || kept.length === references.length) return false;
  metadata.ownerReferences = kept;
  return true;
}

function isReferenceTo({ apiVersion, kind, metadata }: KubeObject, to: OwnerReference): boolean {
  return isSameOwner({ apiVersion, kind, name: metadata.name }, to);
}

/**
 * Whether two references are to the same owner, by group, kind and name, as controller-runtime
 * compares: the version may change, the uid may be newer.
 */
function isSameOwner(a: Omit<OwnerReference, "uid">, b: OwnerReference): boolean {
  return (
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group &&
    a.kind === b.kind &&
    a.name === b.name
  );
}

function describe(object: Owned): string {
  return `${object.kind ?? "The object"} ${object.metadata?.name ?? ""}`.trimEnd();
}
