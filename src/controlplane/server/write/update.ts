/** PUT and PATCH: a change of an object on its way to the store. */
import { invalid } from "../../../kube/field-errors.ts";
import { copyJson, sameJson, asJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import type { StatusError } from "../../../kube/status.ts";
import { uint64Problem } from "../../../kube/values/integers.ts";
import type { ServedResource } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import type { Write, WriteOptions } from "../cluster/cluster.ts";
import type { AdmissionRequest } from "../../admission/attributes.ts";
import { AFTER_ADMISSION, admissionRequest, mutated } from "./admitted.ts";
import { checkEscalation } from "./escalation.ts";
import { conflict, modified, notFound, plainError } from "../../failures.ts";
import { checkSize, dedupOwners } from "./object-limits.ts";
import { collectionOf } from "../../resource-name.ts";
import { validateChange } from "./object-validation.ts";
import { rememberRead, shownAs, toStore } from "../cluster/versions.ts";
import { unfilled } from "../../builtin/unfilled.ts";
import { tableOf } from "../../../table.ts";

export interface UpdateOptions extends WriteOptions {
  /** Whether it is a PUT, which another uid makes a conflict; a patch may not change it (422). */
  readonly replaces: boolean;
  /** Whether no resourceVersion is needed, whatever the rules of the kind. */
  readonly unconditional?: boolean;
  /** Whether nulls are stored where there should be none, as after an apply. */
  readonly keepsNulls?: boolean;
  /** Validating admission of a subresource of another kind, as that kind. */
  readonly validating?: (object: SentObject, live: SentObject) => Promise<void> | undefined;
}

/**
 * Changes a stored object and returns it as the endpoint shows it.
 *
 * @param change - makes the new object from the live one, which is frozen and in the endpoint's
 *   version; the new one has its defaults and its managed fields
 * @throws StatusError
 */
export async function updateObject(
  write: Write<UpdateOptions>,
  change: (live: SentObject) => SentObject | Promise<SentObject>,
): Promise<SentObject> {
  const { cluster, endpoint, options } = write;
  const { resource } = endpoint;
  const collection = collectionOf(resource);
  const key = storeKey(write.namespace, write.name);
  for (;;) {
    const stored = cluster.store.get(collection, key);
    if (!stored) throw notFound(resource, write.name);
    const live = await shownAs(cluster, resource, stored);
    const wanted = await (resource.conversion
      ? cluster.conversion.run(() => change(live))
      : change(live));
    const object = await admitted(write, live, wanted);
    checkEscalation(write, object, live);
    checkPreconditions(write, live, object);
    keepSystemMetadata(object.metadata, live.metadata);
    validateChange(write, live, object);
    await validated(write, live, object);
    resource.dropUnknown?.(object);
    const next = await toStore(cluster, resource, object);
    // Another write may have happened during a webhook call: then everything starts again with the
    // current object.
    if (cluster.store.get(collection, key) !== stored) continue;
    const kept = storeChange(write, stored, object, next);
    // The client's object is complete; nulls of an apply, and changes of admission, are read back
    // as stored.
    if (kept === object && object === wanted && !options.keepsNulls && !resource.conversion) {
      rememberRead(resource, kept);
      return object;
    }
    return shownAs(cluster, resource, kept);
  }
}

/** The object after mutating admission; that of a subresource's own kind was admitted before. */
async function admitted(
  write: Write<UpdateOptions>,
  live: SentObject,
  wanted: SentObject,
): Promise<SentObject> {
  const { endpoint, options } = write;
  dedupOwners(wanted.metadata, options.warn, options.replaces ? "" : AFTER_ADMISSION);
  if (endpoint.kind) return wanted;
  const object = await mutated(write, updateRequest(write, live, wanted));
  keepTimes(object, live);
  return object;
}

/**
 * Returns `undefined` when no policy or webhook concerns the write.
 *
 * @throws StatusError, also from the promise, when the write is refused
 */
function validated(
  write: Write<UpdateOptions>,
  live: SentObject,
  object: SentObject,
): Promise<void> | undefined {
  if (write.endpoint.kind) return write.options.validating?.(object, live);
  return write.cluster.admission.validate(updateRequest(write, live, object));
}

function updateRequest(
  write: Write,
  oldObject: SentObject,
  object: SentObject,
): AdmissionRequest & { readonly object: SentObject } {
  const { namespace = "", name = "" } = oldObject.metadata;
  return admissionRequest({ ...write, namespace, name }, "UPDATE", { object, oldObject });
}

/**
 * Restores the times of managed fields when nothing else differs: a change that was undone is not a
 * change, whether by admission, by the defaults of a list that is applied as a whole once more, or by
 * the same `stringData`.
 */
function keepTimes(object: SentObject, live: SentObject): void {
  const { managedFields } = live.metadata;
  if (!managedFields || object.metadata.managedFields === managedFields) return;
  if (sameJson(withoutTimes(object), withoutTimes(live))) {
    object.metadata.managedFields = copyJson(managedFields);
  }
}

function withoutTimes(object: SentObject): SentObject {
  const { managedFields = [], ...metadata } = object.metadata;
  const timeless = managedFields.map((entry) => ({ ...entry, time: "" }));
  return { ...object, metadata: { ...metadata, managedFields: timeless } };
}

/** @throws StatusError 409, or 422 for a missing version */
function checkPreconditions(
  { endpoint: { resource, strategy }, options }: Write<UpdateOptions>,
  live: SentObject,
  object: SentObject,
): void {
  const metadata = object.metadata;
  const name = live.metadata.name ?? "";
  if (options.replaces && (metadata.uid ?? "") !== "" && metadata.uid !== live.metadata.uid) {
    const { namespace, uid = "" } = live.metadata;
    throw wrongUid(resource, namespace, name, metadata.uid ?? "", uid);
  }
  const sent = metadata.resourceVersion ?? "";
  const problem = sent === "" ? undefined : uint64Problem(sent);
  if (problem !== undefined) throw plainError(problem);
  const version = sent.replace(/^0+/, "");
  if (version === "") {
    if (!strategy.allowUnconditionalUpdate && !options.unconditional) {
      throw invalid({ group: resource.group, kind: resource.plural }, name, [
        {
          reason: "FieldValueInvalid",
          field: "metadata.resourceVersion",
          message: "Invalid value: 0: must be specified for an update",
        },
      ]);
    }
    metadata.resourceVersion = live.metadata.resourceVersion ?? "";
    return;
  }
  if (version !== live.metadata.resourceVersion) throw modified(resource, name);
}

/** The folders of the real server's storage, for kinds that once had other names. */
const STORAGE_FOLDERS = tableOf<string>({
  endpoints: "services/endpoints",
  ingresses: "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
});

/** 409 of a PUT for another object of that name, in the words of the real server's storage. */
export function wrongUid(
  resource: ServedResource,
  namespace: string | undefined,
  name: string,
  wanted: string,
  found: string,
): StatusError {
  const { builtIn, plural, group } = resource;
  const folder = builtIn ? (STORAGE_FOLDERS.get(plural) ?? plural) : `${group}/${plural}`;
  const key = `/registry/${folder}/${storeKey(namespace, name)}`;
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}

/** Silently restores metadata that clients may not change. */
function keepSystemMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  keep(metadata, old, "generation");
  keep(metadata, old, "creationTimestamp");
  if ((metadata.uid ?? "") === "") keep(metadata, old, "uid");
  delete asJson(metadata)["selfLink"];
  if (old.deletionTimestamp !== undefined) {
    keep(metadata, old, "deletionTimestamp");
  }
  if (metadata.deletionGracePeriodSeconds === undefined) {
    keep(metadata, old, "deletionGracePeriodSeconds");
  }
}

function keep(metadata: ObjectMeta, old: ObjectMeta, field: keyof ObjectMeta): void {
  if (old[field] === undefined) delete metadata[field];
  else Object.assign(metadata, { [field]: old[field] });
}

/** Stores a change, if there is one; removes an object that only waited for its last finalizer. */
function storeChange(
  { cluster: { store }, endpoint: { resource }, options }: Write,
  stored: SentObject,
  object: SentObject,
  next: SentObject,
): SentObject {
  const collection = collectionOf(resource);
  if (isFinished(object.metadata) && resource.traits?.deletion?.holds?.(object) !== true) {
    const { namespace, name = "" } = stored.metadata;
    if (!options.dryRun) store.remove(collection, storeKey(namespace, name));
    return object;
  }
  checkSize(next);
  if (sameJson(next, stored) && !unfilled.has(stored)) return stored;
  return options.dryRun ? next : store.put(collection, next);
}

/** Whether a deletion waits for nothing more. */
function isFinished(metadata: ObjectMeta): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}
