/**
 * PUT and PATCH: a change of an object on its way to the store.
 *
 * @module
 */
import { type FieldError, invalid } from "../../../kube/field-errors.ts";
import { copyJson, sameJson, asJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import type { StatusError } from "../../../kube/status.ts";
import { withoutEmptied } from "../../builtin/strategies/emptied.ts";
import type { ServedResource, WriteContext } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import { type Endpoint, type Write, type WriteOptions, checkContext } from "../cluster/cluster.ts";
import type { AdmissionRequest } from "../../admission/attributes.ts";
import { admissionRequest } from "./admitted.ts";
import { matchNamespace } from "./match-path.ts";
import { checkEscalation } from "./escalation.ts";
import { conflict, modified, notFound, plainError } from "../../failures.ts";
import { errorKindOf, metadataErrors } from "./metadata-checks.ts";
import { checkSize, dedupOwners } from "./object-limits.ts";
import { collectionOf } from "../../resource-name.ts";
import { isUnfilled } from "./unfilled.ts";
import { convertForStore, rememberRead, shownAs, storeAs } from "../cluster/versions.ts";

/** What a change does beyond its object. */
export interface UpdateOptions extends WriteOptions {
  /** A PUT, whose uid must be that of the stored object; a patch may not change it (422). */
  readonly replaces: boolean;
  /** Overwrites whatever is there when the object has no resourceVersion, whatever its kind wants. */
  readonly unconditional?: boolean;
  /** Nulls that stand where there should be none are stored: an apply. */
  readonly keepsNulls?: boolean;
  /** Asks validating admission about what a subresource of another kind changed, as that kind. */
  readonly validating?: (object: SentObject, live: SentObject) => Promise<void> | undefined;
}

/**
 * Changes a stored object and returns it as the endpoint shows it.
 *
 * @param change - makes the new object from the live one, a frozen one in the endpoint's version; defaults set,
 *   owners of fields brought up to date
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
    const object = await mutated(write, live, wanted);
    checkEscalation(write, object, live);
    validateChange(write, live, object);
    await validated(write, live, object);
    resource.dropUnknown?.(object);
    const converted = await convertForStore(cluster, resource, object);
    // While somebody was asked, another may have written: then all begins anew, with what is there now.
    if (cluster.store.get(collection, key) !== stored) continue;
    const kept = storeChange(write, stored, object, converted);
    // What was asked for is whole; nulls of an apply, and what admission made, are read as what is stored.
    if (kept === object && object === wanted && !options.keepsNulls && !resource.conversion) {
      rememberRead(resource, kept);
      return object;
    }
    return shownAs(cluster, resource, kept);
  }
}

/** The object as mutating admission leaves it; what a subresource of another kind changes was admitted as that. */
async function mutated(
  write: Write<UpdateOptions>,
  live: SentObject,
  object: SentObject,
): Promise<SentObject> {
  const { cluster, endpoint, options } = write;
  const after = " after mutating admission happens";
  dedupOwners(object.metadata, options.warn, options.replaces ? "" : after);
  if (endpoint.kind) return object;
  const mutation = cluster.admission.mutate(updateRequest(write, live, object));
  if (!mutation) {
    keepTimes(object, live);
    return object;
  }
  const admitted = (await mutation) ?? object;
  matchNamespace(endpoint.resource, live.metadata.namespace ?? "", admitted);
  dedupOwners(admitted.metadata, options.warn, after);
  keepTimes(admitted, live);
  return admitted;
}

/** `undefined` when nobody has a say. @throws StatusError, also from the promise, when somebody refuses */
function validated(
  write: Write<UpdateOptions>,
  live: SentObject,
  object: SentObject,
): Promise<void> | undefined {
  if (write.endpoint.kind) return write.options.validating?.(object, live);
  return write.cluster.admission.validate(updateRequest(write, live, object));
}

function updateRequest(
  write: Write<UpdateOptions>,
  oldObject: SentObject,
  object: SentObject,
): AdmissionRequest {
  const { namespace = "", name = "" } = oldObject.metadata;
  return admissionRequest({ ...write, namespace, name }, "UPDATE", { object, oldObject });
}

/**
 * When its fields were written is all that is left of a change that was undone, and is none: by admission, by the defaults
 * of a list that is applied as a whole once more, by `stringData` that says what is there.
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

/** @throws StatusError 409 or 422 */
function validateChange(write: Write<UpdateOptions>, live: SentObject, object: SentObject): void {
  const { endpoint } = write;
  const { resource } = endpoint;
  checkPreconditions(write, live, object);
  keepSystemMetadata(object.metadata, live.metadata);
  const { context, tellWarnings } = checkContext(write);
  endpoint.strategy.prepareForUpdate(object, live, context);
  const errors = changeErrors(endpoint, object, live, context);
  if (errors.length > 0) {
    // A patch may have made something else of it.
    const group = resource.builtIn ? resource.group : parseApiVersion(object.apiVersion).group;
    const kind = errorKindOf(group, object.kind);
    throw invalid(kind, object.metadata.name ?? "", errors);
  }
  tellWarnings();
}

/** All that is wrong with a change. Kinds that look at the metadata twice do so with their own errors in between. */
function changeErrors(
  endpoint: Endpoint,
  object: SentObject,
  live: SentObject,
  context: WriteContext,
): FieldError[] {
  const { strategy, subresource } = endpoint;
  const { first, second } = metadataErrors(endpoint, object, live);
  if (second.length === 0) return [...first, ...strategy.validateUpdate(object, live, context)];
  return subresource === "" && strategy.errorsBetween
    ? [...first, ...strategy.errorsBetween(object, live, context, second)]
    : [...first, ...second, ...strategy.validateUpdate(object, live, context)];
}

function checkPreconditions(
  { endpoint: { resource, strategy }, options }: Write<UpdateOptions>,
  live: SentObject,
  object: SentObject,
): void {
  const metadata = object.metadata;
  const name = live.metadata.name ?? "";
  const version = metadata.resourceVersion ?? "";
  if (options.replaces && (metadata.uid ?? "") !== "" && metadata.uid !== live.metadata.uid) {
    throw wrongUid(
      resource,
      live.metadata.namespace,
      name,
      metadata.uid ?? "",
      live.metadata.uid ?? "",
    );
  }
  if (version === "" || version === "0") {
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
  if (!/^\d+$/.test(version)) {
    throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (version !== live.metadata.resourceVersion) throw modified(resource, name);
}

/** Where the real server keeps kinds that once had other names. */
const STORAGE_FOLDERS: Readonly<Record<string, string>> = {
  endpoints: "services/endpoints",
  ingresses: "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

/** 409 of a PUT for another object of that name, in the words of the real server's storage. */
export function wrongUid(
  resource: ServedResource,
  namespace: string | undefined,
  name: string,
  wanted: string,
  found: string,
): StatusError {
  const { builtIn, plural, group } = resource;
  const folder = builtIn ? (STORAGE_FOLDERS[plural] ?? plural) : `${group}/${plural}`;
  const key = `/registry/${folder}/${storeKey(namespace, name)}`;
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}

/** What no client may change, silently put back. */
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

/** Stores the change, if it is one; an object that only waited for its last finalizer goes. */
function storeChange(
  { cluster, endpoint: { resource }, options }: Write,
  stored: SentObject,
  object: SentObject,
  converted: SentObject | undefined,
): SentObject {
  const collection = collectionOf(resource);
  const key = storeKey(stored.metadata.namespace, stored.metadata.name ?? "");
  if (isFinished(object.metadata) && resource.traits?.deletion?.holds?.(object) !== true) {
    if (!options.dryRun) cluster.store.remove(collection, key);
    return object;
  }
  const next = withoutEmptied(converted ?? storeAs(resource, object));
  checkSize(next);
  if (sameJson(next, stored) && !isUnfilled(stored)) return stored;
  return options.dryRun ? next : cluster.store.put(collection, next);
}

/** Whether a deletion has nothing left to wait for. */
function isFinished(metadata: ObjectMeta): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}
