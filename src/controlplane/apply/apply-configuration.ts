/**
 * Server-side apply: merges an object with the configuration of a manager.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
import { asJson, asObject, copyJson, isJsonObject, sameJson } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { present } from "../../present.ts";
import { type Conflict, conflictError, withoutFields } from "./conflicts.ts";
import { type Misfit, findMisfits, printMisfits } from "./conformity.ts";
import { FieldSet } from "./field-set.ts";
import { lastAppliedFields, refreshLastApplied } from "./last-applied.ts";
import {
  type Managers,
  type Ownership,
  capUpdaters,
  managerKey,
  readManagers,
} from "./managers.ts";
import { mergeObjects } from "./merging.ts";
import { fieldsOf, removeFields, withNamedFields } from "./object-fields.ts";
import {
  NEVER_OWNED,
  type OwnedResource,
  type Typed,
  Untrackable,
  Write,
  type WriteBy,
  assess,
  reconciled,
  setManagers,
  takeFields,
  updateManagers,
  withoutManagedFields,
} from "./write.ts";

const internalFailure = (message: string): StatusError => failure(500, "", message);

/** Throws a 500 that begins with `what` if there are misfits. */
function refuseMisfits(misfits: readonly Misfit[], what: string): void {
  if (misfits.length > 0) throw internalFailure(`${what}: ${printMisfits(misfits)}`);
}

/** Throws a 400 for a configuration of another type, or one that carries managedFields. */
function checkConfiguration(write: Write, resource: OwnedResource, config: JsonObject): void {
  const apiVersion = typeof config["apiVersion"] === "string" ? config["apiVersion"] : "";
  const kind = typeof config["kind"] === "string" ? config["kind"] : "";
  if (apiVersion !== write.apiVersion || kind !== resource.kind) {
    const depth = apiVersion.split("/").length;
    const groupVersion = depth === 1 ? `/${apiVersion}` : apiVersion;
    // An apiVersion that is malformed loses the kind too.
    const type = depth > 2 ? "/, Kind=" : `${groupVersion}, Kind=${kind}`;
    throw failure(400, "BadRequest", `invalid object type: ${type}`);
  }
  const metadata = config["metadata"];
  const managed = isJsonObject(metadata) ? metadata["managedFields"] : undefined;
  if (managed !== undefined && managed !== null) {
    throw failure(400, "BadRequest", "metadata.managedFields must be nil");
  }
}

const PRUNING = "failed to prune fields";

/**
 * Removes the fields that the manager applied last time and left out now, unless another manager
 * owns them.
 */
function prune(
  write: Write,
  merged: JsonObject,
  managers: Managers,
  last: Ownership | undefined,
): JsonObject {
  if (!last || last.fields.isEmpty) return merged;
  const atLast = write.in(
    last.apiVersion,
    merged,
    `${PRUNING}: failed to convert merged object to last applied version`,
  );
  if (!atLast) return merged;
  const { type } = atLast;
  const lastFields = withNamedFields(type, last.fields);
  const stripped = removeFields(type, atLast.object, lastFields) as JsonObject;
  const restored = restoreOwned(write, atLast, stripped, managers);
  const there = write.in(
    last.apiVersion,
    restored,
    `${PRUNING}: failed add back dangling items: failed to convert pruned object to last applied version`,
  );
  if (!there) return merged;
  // Fields that are gone now but were not applied by this manager come back too.
  const gone = namedFields(atLast).difference(namedFields(there)).intersection(lastFields);
  const pruned = removeFields(type, atLast.object, gone) as JsonObject;
  return write.in(write.apiVersion, pruned, PRUNING)?.object ?? pruned;
}

const namedFields = ({ type, object }: Typed): FieldSet =>
  withNamedFields(type, fieldsOf(type, object));

/**
 * Restores the fields that any manager owns, version by version, starting with that of the last
 * apply.
 */
function restoreOwned(
  write: Write,
  merged: Typed,
  stripped: JsonObject,
  managers: Managers,
): JsonObject {
  const owned = new Map<string, FieldSet>([[String(merged.object["apiVersion"]), new FieldSet()]]);
  for (const { apiVersion, fields } of managers.values()) {
    owned.set(apiVersion, owned.get(apiVersion)?.union(fields) ?? fields);
  }
  let left = stripped;
  for (const [apiVersion, fields] of owned) {
    const told = (which: string): string =>
      `${PRUNING}: failed add back owned items: failed to convert ${which} object at version ${apiVersion}`;
    const whole = write.in(apiVersion, merged.object, told("merged"));
    const rest = write.in(apiVersion, left, told("pruned"));
    if (!whole || !rest || fields.isEmpty) continue;
    const kept = namedFields(rest).union(withNamedFields(whole.type, fields));
    left = removeFields(
      whole.type,
      whole.object,
      namedFields(whole).difference(kept),
    ) as JsonObject;
  }
  return left;
}

/**
 * Applies a configuration: the merged object with its managedFields, not yet defaulted or
 * validated. It equals `live` except for managedFields when nothing changed. The inputs are not
 * modified.
 *
 * @param live - the stored object in the version of `resource`; absent when the apply creates it
 * @throws StatusError 400 for a configuration of another type, 409 with all conflicts, 500 for
 *   one that does not fit the schema
 */
export function applyConfiguration(
  live: SentObject | undefined,
  config: JsonObject,
  resource: OwnedResource,
  by: WriteBy & { readonly force: boolean },
): SentObject {
  const write = new Write(resource, by);
  const before = readManagers(live?.metadata.managedFields);
  if (!before) {
    throw internalFailure("failed to decode managed fields: they are malformed");
  }
  checkConfiguration(write, resource, config);
  // Only kubectl keeps the configuration in an annotation.
  const isKubectl = by.manager === "kubectl";
  const empty = { apiVersion: write.apiVersion, kind: resource.kind };
  const stored = live ? withoutManagedFields(asJson(live)) : empty;
  try {
    const known = before.size === 0 ? managersOfExisting(write, stored, before, live) : before;
    const excuse = (conflicts: readonly Conflict[]): readonly Conflict[] => {
      if (by.force) return [];
      const allowed = isKubectl && lastAppliedFields(write.type, write.apiVersion, stored);
      return allowed ? withoutFields(conflicts, allowed) : conflicts;
    };
    const result = applyAs(write, stored, config, known, excuse);
    const object = asObject(copyJson(result.object));
    if (isKubectl) refreshLastApplied(object, config);
    object.metadata = isJsonObject(object.metadata) ? object.metadata : {};
    setManagers(write, object, result.managers);
    return object;
  } catch (error) {
    if (error instanceof Untrackable) throw internalFailure(error.message);
    throw error;
  }
}

/** The managers of an untracked object at its first apply: `before-first-apply` owns its fields. */
function managersOfExisting(
  write: Write,
  stored: JsonObject,
  before: Managers,
  live: SentObject | undefined,
): Managers {
  if (!live) return before;
  refuseMisfits(
    findMisfits(write.type, stored, true),
    `failed to create manager for existing fields: failed to convert new object (${write.describe(stored)}) to smd typed`,
  );
  const name = write.name("Update", "before-first-apply");
  return capUpdaters(updateManagers(write, write.emptyObject(), stored, before, name));
}

/** @param excuse - returns the conflicts that stand */
function applyAs(
  write: Write,
  stored: JsonObject,
  config: JsonObject,
  before: Managers,
  excuse: (conflicts: readonly Conflict[]) => readonly Conflict[],
): { readonly object: JsonObject; readonly managers: Managers } {
  const { type } = write;
  const untyped = (what: string, object: JsonObject): string =>
    `failed to create typed ${what} object (${write.describe(object)})`;
  refuseMisfits(findMisfits(type, config, false), untyped("patch", config));
  refuseMisfits(findMisfits(type, stored, true), untyped("live", stored));

  const name = write.name("Apply");
  const key = managerKey(name);
  const managers = new Map(reconciled(write, stored, before));
  const merging = mergeObjects(type, stored, config);
  if ("misfits" in merging) {
    throw internalFailure(`failed to merge config: ${printMisfits(merging.misfits)}`);
  }
  const last = managers.get(key);
  managers.set(key, {
    name,
    apiVersion: write.apiVersion,
    fields: write.filter(fieldsOf(type, config)),
    ...present({ time: last?.time }),
  });
  const object = prune(write, merging.merged as JsonObject, managers, last);
  const impact = assess(write, stored, object, managers, key);
  const standing = impact.conflicts.length > 0 ? excuse(impact.conflicts) : [];
  if (standing.length > 0) throw conflictError(standing);
  takeFields(impact.managers, impact.conflicts);

  const self = impact.managers.get(key);
  const fields = self?.fields.difference(NEVER_OWNED);
  const isSame = sameJson(stored, object);
  if (!self || !fields || fields.isEmpty) impact.managers.delete(key);
  else impact.managers.set(key, { ...self, fields, ...(isSame ? {} : { time: write.time }) });
  return { object: isSame ? stored : object, managers: impact.managers };
}
