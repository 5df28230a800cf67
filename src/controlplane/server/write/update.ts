/**
 * PUT and PATCH: a change of an object on its way to the store.
 *
 * @module
 */
import { type FieldError, invalid } from "../../../kube/field-errors.ts";
import { copyJson, sameJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import type { StatusError } from "../../../kube/status.ts";
import { withoutEmptied } from "../../builtin/strategies/emptied.ts";
import type { ServedResource, WriteContext } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import {
  type Cluster,
  type Endpoint,
  type WriteOptions,
  checkContext,
} from "../cluster/cluster.ts";
import { admissionRequest } from "./admitted.ts";
import { matchNamespace } from "./match-path.ts";
import { checkEscalation } from "./escalation.ts";
import { conflict, modified, notFound, plainError } from "../../failures.ts";
import { errorKindOf, metadataErrors } from "./metadata-checks.ts";
import { checkSize, dedupOwners } from "./object-limits.ts";
import { collectionOf } from "../cluster/registry.ts";
import { isUnfilled } from "./unfilled.ts";
import {
  convertForStore,
  prepareReads,
  readAs,
  rememberRead,
  storeAs,
} from "../cluster/versions.ts";

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
  cluster: Cluster,
  endpoint: Endpoint,
  namespace: string,
  name: string,
  change: (live: SentObject) => SentObject | Promise<SentObject>,
  options: UpdateOptions,
): Promise<SentObject> {
  const { resource } = endpoint;
  const collection = collectionOf(resource);
  const key = storeKey(namespace, name);
  for (;;) {
    const stored = cluster.store.get(collection, key);
    if (!stored) throw notFound(resource, name);
    const prepared = prepareReads(cluster, resource, [stored]);
    if (prepared) await prepared;
    const live = readAs(cluster, resource, stored);
    const changed = resource.conversion ? cluster.conversion.run(() => change(live)) : change(live);
    const wanted = changed instanceof Promise ? await changed : changed;
    const mutated = admitted(cluster, endpoint, live, wanted, options);
    const object = mutated instanceof Promise ? await mutated : mutated;
    checkEscalation(cluster, endpoint, object, live, options.user);
    validateChange(cluster, endpoint, live, object, options);
    const validation = validated(cluster, endpoint, live, object, options);
    if (validation) await validation;
    resource.dropUnknown?.(object);
    const converted = convertForStore(cluster, resource, object);
    const next = converted ? await converted : undefined;
    // While somebody was asked, another may have written: then all begins anew, with what is there now.
    if (cluster.store.get(collection, key) === stored) {
      const kept = commitChange(cluster, endpoint, stored, live, object, next, options);
      // What was asked for is whole; nulls of an apply, and what admission made, are read as what is stored.
      if (kept === object && object === wanted && !options.keepsNulls && !resource.conversion) {
        rememberRead(resource, kept);
        return object;
      }
      const shown = prepareReads(cluster, resource, [kept]);
      if (shown) await shown;
      return readAs(cluster, resource, kept);
    }
  }
}

/** The object as mutating admission leaves it; what a subresource of another kind changes was admitted as that. */
function admitted(
  cluster: Cluster,
  endpoint: Endpoint,
  live: SentObject,
  object: SentObject,
  options: UpdateOptions,
): SentObject | Promise<SentObject> {
  const after = " after mutating admission happens";
  dedupOwners(object.metadata, options.warn, options.replaces ? "" : after);
  if (endpoint.kind) return object;
  const { namespace = "", name = "" } = live.metadata;
  const mutation = cluster.admission.mutate(
    admissionRequest(endpoint, "UPDATE", { namespace, name }, { object, oldObject: live }, options),
  );
  if (mutation) return takeMutated(endpoint.resource, live, object, mutation, options);
  // The same `stringData` applied once more is the only one that got this far without a change.
  if (object.kind === "Secret") keepTimes(object, live);
  return object;
}

/** `undefined` when nobody has a say. @throws StatusError, also from the promise, when somebody refuses */
function validated(
  cluster: Cluster,
  endpoint: Endpoint,
  live: SentObject,
  object: SentObject,
  options: UpdateOptions,
): Promise<void> | undefined {
  if (endpoint.kind) return options.validating?.(object, live);
  const { namespace = "", name = "" } = live.metadata;
  const objects = { object, oldObject: live };
  return cluster.admission.validate(
    admissionRequest(endpoint, "UPDATE", { namespace, name }, objects, options),
  );
}

async function takeMutated(
  resource: ServedResource,
  live: SentObject,
  object: SentObject,
  mutation: Promise<SentObject | undefined>,
  options: UpdateOptions,
): Promise<SentObject> {
  const mutated = (await mutation) ?? object;
  matchNamespace(resource, live.metadata.namespace ?? "", mutated);
  dedupOwners(mutated.metadata, options.warn, " after mutating admission happens");
  keepTimes(mutated, live);
  return mutated;
}

/** When its fields were written is all that is left of a change that was undone, and is none. */
function keepTimes(object: SentObject, live: SentObject): void {
  const { managedFields } = live.metadata;
  if (managedFields && sameJson(withoutTimes(object), withoutTimes(live))) {
    object.metadata.managedFields = copyJson(managedFields);
  }
}

function withoutTimes(object: SentObject): SentObject {
  const { managedFields = [], ...metadata } = object.metadata;
  const timeless = managedFields.map((entry) => ({ ...entry, time: "" }));
  return { ...object, metadata: { ...metadata, managedFields: timeless } };
}

/** @throws StatusError 409 or 422 */
function validateChange(
  cluster: Cluster,
  endpoint: Endpoint,
  live: SentObject,
  object: SentObject,
  options: UpdateOptions,
): void {
  const { resource } = endpoint;
  checkPreconditions(endpoint, live, object, options);
  keepSystemMetadata(object.metadata, live.metadata);
  const { context, tellWarnings } = checkContext(cluster, resource, options);
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
  { resource, strategy }: Endpoint,
  live: SentObject,
  object: SentObject,
  options: UpdateOptions,
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
  delete (metadata as { selfLink?: string }).selfLink;
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
function commitChange(
  cluster: Cluster,
  { resource }: Endpoint,
  stored: SentObject,
  live: SentObject,
  object: SentObject,
  converted: SentObject | undefined,
  options: WriteOptions,
): SentObject {
  const collection = collectionOf(resource);
  const key = storeKey(live.metadata.namespace, live.metadata.name ?? "");
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
