/** Kubernetes objects: plain JSON with a type, a name and metadata. */

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object of unknown fields. */
export type JsonObject = Record<string, unknown>;

/** An owner of an object; `controller` marks the one that manages it. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The fields of an object that one manager owns. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: "FieldsV1";
  fieldsV1?: JsonObject;
  subresource?: string;
}

/**
 * The metadata of an object in which any field may be absent: of one that is being written, or of a
 * template. Times are RFC 3339 strings, as on the wire.
 */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** The metadata of a stored object: fields that the server sets on every object are present. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/**
 * The metadata of a stored object of a kind whose changes the server counts: every custom resource,
 * and most workloads.
 */
export interface CountedMeta extends StoredMeta {
  generation: number;
}

/** An object of any kind, as it was read. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: StoredMeta;
}

/**
 * An object of any kind as it was sent, or written into a file: the server may not have seen it
 * yet.
 */
export interface SentObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object of a manifest, of which only the name is certain. */
export interface ManifestObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta & { name: string };
}

/** A `T` as it was sent: its metadata may lack all fields that the server sets. */
export type Sent<T extends SentObject> = Omit<T, "metadata"> & { metadata: ObjectMeta };

/** The metadata of a list. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** A list of objects of one kind. */
export interface KubeList<T> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** The key of an object within its kind; cluster-scoped objects have no namespace. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * `namespace/name`, or `name` of a cluster-scoped object.
 *
 * @example
 * formatKey({ namespace: "default", name: "one" }); // default/one
 */
export function formatKey(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name;
}

/**
 * The key of an object that has a name.
 *
 * @example
 * await client.delete(Web, keyOf(web));
 */
export function keyOf({
  metadata: { namespace, name },
}: {
  readonly metadata: ObjectKey;
}): ObjectKey {
  return namespace ? { namespace, name } : { name };
}
