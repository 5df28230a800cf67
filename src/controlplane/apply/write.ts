/**
 * The common part of tracking an update and applying a configuration: the effect of a change on the
 * fields that the managers own.
 *
 * Objects come in the version of the request; managers of another version are compared in that
 * version.
 */
import { timeOf } from "../../kube/values/times.ts";
import { isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { zeroObject } from "../builtin/zero-object.ts";
import type { ServedResource } from "../kinds.ts";
import { type Comparison, compareObjects } from "./comparison.ts";
import type { Conflict } from "./conflicts.ts";
import { findMisfits, printMisfits } from "./conformity.ts";
import { FieldSet } from "./field-set.ts";
import {
  type ManagerName,
  type Managers,
  type Ownership,
  managerKey,
  nameManager,
  writeManagers,
} from "./managers.ts";
import { reconcileFields } from "./reconciliation.ts";
import { type NodeType, rootType } from "./topology.ts";

/** The part of a served resource that ownership needs. */
export type OwnedResource = Pick<
  ServedResource,
  "group" | "version" | "kind" | "plural" | "builtIn" | "schema" | "traits"
> & { readonly subresources: readonly { readonly name: string }[] };

/** The other versions of a kind. Versions are named by their apiVersion. */
interface KindVersions {
  /** The schema of a version; `undefined` when it does not exist. */
  schemaOf(apiVersion: string): Schema | undefined;
  /** Converts an object from any version of the kind. May throw `StatusError`. */
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

/** The writer, the endpoint and the time of a write. */
export interface WriteBy {
  readonly manager: string;
  readonly subresource?: string;
  /** Wall time in milliseconds. */
  readonly nowMs: number;
  /** The other versions of the kind; absent for a kind with one version. */
  readonly versions?: KindVersions;
}

/** An object and the type by which it is walked. */
export interface Typed {
  readonly type: NodeType;
  readonly object: JsonObject;
}

/**
 * The fields that nobody owns: the identity of an object, and the metadata that the server
 * maintains.
 */
export const NEVER_OWNED = FieldSet.of(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
);

const fieldsAt = (paths: readonly string[]): FieldSet =>
  FieldSet.of(...paths.map((path) => path.split(".").map((name) => `f:${name}`)));

const NOTHING = new FieldSet();
const STATUS = fieldsAt(["status"]);
const SPEC = fieldsAt(["spec"]);
const SPEC_AND_METADATA = fieldsAt(["spec", "metadata"]);

/** The fields that an endpoint ignores, and that a write to it therefore does not own. */
function resetFields(resource: OwnedResource, subresource: string): FieldSet {
  const own = resource.traits?.resetFields?.[subresource];
  if (own) return fieldsAt(own);
  if (subresource === "status") return resource.builtIn ? SPEC : SPEC_AND_METADATA;
  const hasStatus = resource.subresources.some(({ name }) => name === "status");
  return subresource === "" && hasStatus ? STATUS : NOTHING;
}

/** An object that does not fit its schema, so that its managers cannot be tracked. */
export class Untrackable extends Error {
  override readonly name = "Untrackable";
}

/** One write, with the data that all its steps need. */
export class Write {
  readonly #resource: OwnedResource;
  readonly #by: WriteBy;
  readonly #reset: FieldSet;
  /** The version of the request. */
  readonly apiVersion: string;
  readonly type: NodeType;

  constructor(resource: OwnedResource, by: WriteBy) {
    this.#resource = resource;
    this.#by = by;
    this.apiVersion = apiVersionOf(resource);
    this.type = rootType(resource);
    this.#reset = resetFields(resource, by.subresource ?? "");
  }

  get time(): string {
    return timeOf(this.#by.nowMs);
  }

  get isSubresource(): boolean {
    return (this.#by.subresource ?? "") !== "";
  }

  name(operation: "Apply" | "Update", manager = this.#by.manager): ManagerName {
    return nameManager(manager, operation, this.apiVersion, this.#by.subresource);
  }

  /**
   * The object in a version; `undefined` when a built-in kind lacks that version.
   *
   * @param what - the beginning of the message of a failure
   * @throws Untrackable when a custom kind lacks it, or the converted object does not fit its
   *   schema
   */
  in(apiVersion: string, object: JsonObject, what?: string): Typed | undefined {
    try {
      return this.#convert(apiVersion, object);
    } catch (error) {
      if (what === undefined || !(error instanceof Untrackable)) throw error;
      throw new Untrackable(`${what}: ${error.message}`);
    }
  }

  #convert(apiVersion: string, object: JsonObject): Typed | undefined {
    const { builtIn } = this.#resource;
    const { versions } = this.#by;
    const isOwn = apiVersion === this.apiVersion;
    const schema = isOwn ? this.type.schema : versions?.schemaOf(apiVersion);
    if (!schema) {
      if (builtIn) return undefined;
      throw new Untrackable(`request to convert CR to an invalid group/version: ${apiVersion}`);
    }
    const type = isOwn ? this.type : rootType({ schema, builtIn });
    if (!versions || object["apiVersion"] === apiVersion) return { type, object };
    const converted = versions.convert(object, apiVersion);
    if (!builtIn) checkFit(type, converted);
    return { type, object: converted };
  }

  /** The object with which a create is compared. */
  emptyObject(): JsonObject {
    const { builtIn, kind } = this.#resource;
    return builtIn ? zeroObject(this.#resource) : { apiVersion: this.apiVersion, kind };
  }

  /** The set without the fields that the endpoint ignores. */
  filter(fields: FieldSet): FieldSet {
    return fields.without(this.#reset);
  }

  /** A comparison in the version of the request, without the fields that the endpoint ignores. */
  filterComparison({ removed, modified, added }: Comparison): Comparison {
    return {
      removed: this.filter(removed),
      modified: this.filter(modified),
      added: this.filter(added),
    };
  }

  /**
   * A comparison in another version, without the fields that the endpoint ignores there: the main
   * endpoint of a custom resource knows only its own version.
   */
  filterOther(comparison: Comparison): Comparison {
    const { builtIn } = this.#resource;
    return builtIn || this.#by.subresource === "status"
      ? this.filterComparison(comparison)
      : comparison;
  }

  describe(object: JsonObject): string {
    const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
    const text = (value: unknown): string => (typeof value === "string" ? value : "");
    const { group, version, kind } = this.#resource;
    const key = `${text(metadata["namespace"])}/${text(metadata["name"])}`;
    return `${key}; ${group}/${version}, Kind=${kind}`;
  }
}

/** The object without its managedFields, which are never owned; the rest is shared. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const rest: JsonObject = {};
  // Copied without `delete`, after which the engine treats an object as a dictionary.
  for (const name of Object.keys(metadata)) {
    if (name !== "managedFields") setField(rest, name, metadata[name]);
  }
  return { ...object, metadata: rest };
}

function compareOrFail(type: NodeType, left: JsonObject, right: JsonObject): Comparison {
  const comparison = compareObjects(type, left, right);
  if ("misfits" in comparison) throw new Untrackable(printMisfits(comparison.misfits));
  return comparison;
}

/** The effect of a change on the fields that the managers own. */
interface Impact {
  readonly managers: Map<string, Ownership>;
  readonly conflicts: readonly Conflict[];
  readonly own: Comparison;
}

/** Finds the fields that the change takes from the other managers; `self` keeps its fields. */
export function assess(
  write: Write,
  left: JsonObject,
  right: JsonObject,
  before: Managers,
  self: string | undefined,
): Impact {
  const own = write.filterComparison(compareOrFail(write.type, left, right));
  const comparisons = new Map<string, Comparison>([[write.apiVersion, own]]);
  const managers = new Map<string, Ownership>();
  const conflicts: Conflict[] = [];
  for (const [key, owner] of before) {
    if (key === self) {
      managers.set(key, owner);
      continue;
    }
    let comparison = comparisons.get(owner.apiVersion);
    if (!comparison) {
      const oldObject = write.in(owner.apiVersion, left, "failed to convert old object");
      const newObject = write.in(owner.apiVersion, right, "failed to convert new object");
      if (!oldObject || !newObject) continue;
      comparison = write.filterOther(
        compareOrFail(oldObject.type, oldObject.object, newObject.object),
      );
      comparisons.set(owner.apiVersion, comparison);
    }
    const taken = owner.fields.intersection(comparison.modified.union(comparison.added));
    if (!taken.isEmpty) conflicts.push({ key, owner, fields: taken });
    const fields = owner.fields.difference(comparison.removed);
    if (!fields.isEmpty) managers.set(key, fields === owner.fields ? owner : { ...owner, fields });
  }
  return { managers, conflicts, own };
}

/** Takes the fields of the conflicts from their owners. */
export function takeFields(managers: Map<string, Ownership>, conflicts: readonly Conflict[]): void {
  for (const { key, fields: taken } of conflicts) {
    const owner = managers.get(key);
    if (!owner) continue;
    const fields = owner.fields.difference(taken);
    if (fields.isEmpty) managers.delete(key);
    else managers.set(key, { ...owner, fields });
  }
}

/**
 * The managers with their sets reconciled with the current schema; managers of removed versions are
 * left out.
 */
export function reconciled(write: Write, live: JsonObject, managers: Managers): Managers {
  const kept = new Map<string, Ownership>();
  for (const [key, owner] of managers) {
    const typed = write.in(owner.apiVersion, live);
    if (!typed) continue;
    const fields = reconcileFields(typed.type, owner.fields);
    kept.set(key, fields === owner.fields ? owner : { ...owner, fields });
  }
  return kept;
}

function checkFit(type: NodeType, object: JsonObject): void {
  const misfits = findMisfits(type, object, true);
  if (misfits.length > 0) throw new Untrackable(printMisfits(misfits));
}

/** The object without the fields whose values equal those of the other object. */
function unlike(object: JsonObject, other: JsonObject): JsonObject {
  const rest: JsonObject = {};
  for (const name of Object.keys(object)) {
    if (object[name] !== other[name]) setField(rest, name, object[name]);
  }
  return rest;
}

/** The managers after a write other than an apply. */
export function updateManagers(
  write: Write,
  live: JsonObject,
  updated: JsonObject,
  before: Managers,
  name: ManagerName,
): Managers {
  checkFit(write.type, updated);
  checkFit(write.type, unlike(live, updated));
  const known = reconciled(write, live, before);
  const { managers, conflicts, own } = assess(write, live, updated, known, undefined);
  takeFields(managers, conflicts);
  const changed = own.modified.union(own.added).difference(NEVER_OWNED);
  if (!changed.isEmpty) {
    const key = managerKey(name);
    const previous = managers.get(key);
    const hadAll = previous?.fields.includes(changed) === true;
    const fields = hadAll ? previous.fields : previous ? changed.union(previous.fields) : changed;
    managers.set(key, { name, apiVersion: write.apiVersion, fields, time: write.time });
  }
  return managers;
}

export function setManagers(write: Write, object: SentObject, managers: Managers): void {
  const entries = writeManagers(managers, write.type.schema);
  if (entries) object.metadata.managedFields = entries;
  else delete object.metadata.managedFields;
}
