/** Reads and writes the managers of an object, `metadata.managedFields`. */
import { quote } from "../../kube/field-errors.ts";
import { sameJson } from "../../kube/json.ts";
import type { ManagedFieldsEntry } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { FieldSet } from "./field-set.ts";
import { knownSet, readSet } from "./known-sets.ts";
import { compareTexts } from "./path-element.ts";
import { present } from "../../present.ts";

/**
 * The name of a manager: an applier is identified by its name, an updater by its API version too.
 */
export interface ManagerName {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** Empty for appliers: they keep their fields across versions. */
  readonly apiVersion: string;
  readonly subresource: string;
}

/** The fields that a manager owns. */
export interface Ownership {
  readonly name: ManagerName;
  /** The version to which `fields` refer. */
  readonly apiVersion: string;
  readonly fields: FieldSet;
  /** The time at which its fields last changed, as RFC 3339; absent when no value ever did. */
  readonly time?: string;
}

/** Owners by the key of their name. */
export type Managers = ReadonlyMap<string, Ownership>;

/** The JSON by which the API server identifies and sorts managers. */
export const managerKey = ({ manager, operation, apiVersion, subresource }: ManagerName): string =>
  JSON.stringify({
    manager,
    operation,
    apiVersion: apiVersion === "" ? undefined : apiVersion,
    subresource: subresource === "" ? undefined : subresource,
  });

/** The name under which the manager of a request is recorded. */
export function nameManager(
  manager: string,
  operation: "Apply" | "Update",
  apiVersion: string,
  subresource = "",
): ManagerName {
  return {
    manager: manager === "" ? "unknown" : manager,
    operation,
    apiVersion: operation === "Apply" ? "" : apiVersion,
    subresource,
  };
}

/** The entries from which owners were read: written back unchanged while the owner is unchanged. */
const origins = new WeakMap<Ownership, ManagedFieldsEntry>();

/** Reads managedFields; `undefined` when an entry is malformed. */
export function readManagers(
  entries: readonly ManagedFieldsEntry[] | undefined,
): Managers | undefined {
  const managers = new Map<string, Ownership>();
  const list: unknown = entries ?? [];
  if (!Array.isArray(list)) return undefined;
  for (const entry of list as readonly ManagedFieldsEntry[]) {
    if (typeof entry !== "object" || (entry as unknown) === null) return undefined;
    const { operation, apiVersion, fieldsType, fieldsV1 = {}, time } = entry;
    if (operation !== "Apply" && operation !== "Update") return undefined;
    if (!apiVersion || fieldsType !== "FieldsV1") return undefined;
    const fields = readSet(fieldsV1);
    if (!fields) return undefined;
    const name: ManagerName = {
      manager: entry.manager ?? "",
      operation,
      apiVersion: operation === "Apply" ? "" : apiVersion,
      subresource: entry.subresource ?? "",
    };
    const owner = { name, apiVersion, fields, ...present({ time }) };
    // Only entries of stored objects are cached, since those are never modified.
    if (Object.isFrozen(entry)) origins.set(owner, entry);
    managers.set(managerKey(name), owner);
  }
  return managers;
}

/**
 * The mistake in managedFields that a client changed, in the API server's words; `undefined` when
 * there is none.
 */
export function managersMistake(
  entries: readonly ManagedFieldsEntry[] | undefined,
): string | undefined {
  for (const [index, { operation, apiVersion, fieldsType, fieldsV1 }] of (
    entries ?? []
  ).entries()) {
    if (operation !== "Apply" && operation !== "Update") {
      return "operation must be `Apply` or `Update`";
    }
    if (!apiVersion) return "apiVersion must not be empty";
    if (!fieldsType) return `missing fieldsType in managed fields entry ${index}`;
    if ((fieldsType as string) !== "FieldsV1") {
      return `invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`;
    }
    if (!readSet(fieldsV1 ?? {})) return "error decoding set";
  }
  return undefined;
}

function writeEntry(owner: Ownership, schema: Schema | undefined): ManagedFieldsEntry {
  const { name, apiVersion, fields, time } = owner;
  const origin = origins.get(owner);
  if (origin) return origin;
  // Set field by field: literals with spreads do not share their shape, which costs memory for each
  // object.
  const entry: ManagedFieldsEntry = {};
  if (name.manager !== "") entry.manager = name.manager;
  entry.operation = name.operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = (schema ? knownSet(schema, fields) : fields).toFieldsV1();
  if (name.subresource !== "") entry.subresource = name.subresource;
  return entry;
}

/**
 * The managers as managedFields: appliers first, each group by time, manager, version, subresource.
 *
 * @param schema - the schema of the kind, when its objects are to share their sets
 */
export function writeManagers(
  managers: Managers,
  schema?: Schema,
): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const owners = Array.from(managers.values());
  if (owners.length > 1) owners.sort(compareOwners);
  return owners.map((owner) => writeEntry(owner, schema));
}

const compareOwners = (left: Ownership, right: Ownership): number =>
  compareTexts(left.name.operation, right.name.operation) ||
  compareTexts(left.time ?? "", right.time ?? "") ||
  compareTexts(left.name.manager, right.name.manager) ||
  compareTexts(left.apiVersion, right.apiVersion) ||
  compareTexts(left.name.subresource, right.name.subresource);

/** Whether a client asks for all managers to be removed: `[]` or `[{}]`. */
export function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  return (
    Array.isArray(entries) &&
    (entries.length === 0 || (entries.length === 1 && sameJson(entries[0], {})))
  );
}

const MAX_UPDATERS = 10;

/**
 * Limits the updaters to ten: the oldest of a version are merged into one called `ancient-changes`.
 */
export function capUpdaters(managers: Managers): Managers {
  if (managers.size <= MAX_UPDATERS) return managers;
  const updaters = [...managers]
    .filter(([, { name }]) => name.operation === "Update")
    .sort(
      ([leftKey, left], [rightKey, right]) =>
        compareTexts(left.time ?? "", right.time ?? "") || compareTexts(leftKey, rightKey),
    );
  if (updaters.length <= MAX_UPDATERS) return managers;
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [key, owner] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const { apiVersion } = owner;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, key);
      continue;
    }
    const name = nameManager("ancient-changes", "Update", apiVersion);
    const bucketKey = managerKey(name);
    const bucket = capped.get(bucketKey) ?? capped.get(first);
    if (!capped.has(bucketKey)) capped.delete(first);
    capped.delete(key);
    const fields = bucket ? owner.fields.union(bucket.fields) : owner.fields;
    capped.set(bucketKey, { ...owner, name, fields });
    count--;
  }
  return capped;
}
