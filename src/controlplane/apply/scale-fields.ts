/**
 * The owners of the replicas as the endpoint `/scale` sees them: the managers of an object become
 * those of its `Scale`, and are converted back after the write.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import type { ManagedFieldsEntry } from "../../kube/object.ts";
import { type FieldPath, FieldSet } from "./field-set.ts";
import { type Managers, type Ownership, readManagers, writeManagers } from "./managers.ts";
import { present } from "../../present.ts";

const SCALE_VERSION = "autoscaling/v1";
const SCALE_FIELDS = FieldSet.of(["f:spec", "f:replicas"]);

/** The kind whose replicas a `Scale` shows. */
export interface ScaledKind {
  /** The version of the request. */
  readonly apiVersion: string;
  /**
   * The path of the replicas, such as `.spec.replicas`, in a version of the kind; `undefined` for
   * an unknown version.
   */
  replicasPath(apiVersion: string): string | undefined;
}

function fieldPath(path: string): FieldPath {
  return path
    .split(".")
    .filter((step) => step !== "")
    .map((step) => `f:${step}`);
}

const replicasIn = (kind: ScaledKind, apiVersion: string): FieldSet | undefined => {
  const path = kind.replicasPath(apiVersion);
  return path === undefined ? undefined : FieldSet.of(fieldPath(path));
};

const holds = (fields: FieldSet, part: FieldSet): boolean => !fields.intersection(part).isEmpty;

/** The managers of the `Scale`: those that own the replicas of the object. */
export function scaleManagers(
  kind: ScaledKind,
  entries: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] | undefined {
  const found = new Map<string, Ownership>();
  for (const [key, owner] of readManagers(entries) ?? []) {
    const replicas = replicasIn(kind, owner.apiVersion);
    if (!replicas || !holds(owner.fields, replicas)) continue;
    found.set(key, { ...owner, apiVersion: SCALE_VERSION, fields: SCALE_FIELDS });
  }
  return writeManagers(found);
}

/**
 * The managers of the object after a write through its `Scale`. A manager that is added by it has
 * no time.
 */
export function managersAfterScale(
  kind: ScaledKind,
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] | undefined {
  const before: Managers = readManagers(entries) ?? new Map();
  const scale = new Map(readManagers(scaleEntries) ?? []);
  const after = new Map<string, Ownership>();
  for (const [key, owner] of before) {
    const replicas = replicasIn(kind, owner.apiVersion);
    if (!replicas) continue;
    const known = scale.get(key);
    scale.delete(key);
    if (known || !holds(owner.fields, replicas)) {
      after.set(key, owner);
      continue;
    }
    const fields = owner.fields.difference(replicas);
    if (!fields.isEmpty) after.set(key, { ...owner, fields });
  }
  const replicas = replicasIn(kind, kind.apiVersion);
  for (const [key, owner] of scale) {
    if (!replicas || !holds(owner.fields, SCALE_FIELDS)) continue;
    const time = before.get(key)?.time;
    after.set(key, {
      name: owner.name,
      apiVersion: kind.apiVersion,
      fields: replicas,
      ...present({ time }),
    });
  }
  return writeManagers(after);
}
