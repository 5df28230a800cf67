/** Conflicts of an apply: fields that other managers own with other values. */
import { quote } from "../../kube/field-errors.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { type FieldPath, type FieldSet, printPath } from "./field-set.ts";
import { type ManagerName, type Ownership, managerKey } from "./managers.ts";

/** The fields of one other manager that an apply would change. */
export interface Conflict {
  readonly owner: Ownership;
  readonly fields: FieldSet;
}

function printManager({ manager, subresource, operation, apiVersion }: ManagerName): string {
  const subject =
    quote(manager) + (subresource === "" ? "" : ` with subresource ${quote(subresource)}`);
  return operation === "Update" ? `${subject} using ${apiVersion}` : subject;
}

/**
 * The sort key of managers in the message: the JSON text by which the API server identifies them.
 */
const identity = ({ manager, operation, apiVersion, subresource }: ManagerName): string =>
  JSON.stringify({
    manager,
    operation,
    ...(apiVersion === "" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });

/** The 409 that names every conflicting field and its owner. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = conflicts
    .map(({ owner, fields }) => ({
      name: owner.name,
      manager: printManager(owner.name),
      paths: fields.paths().map((path: FieldPath) => printPath(path)),
    }))
    .sort((left, right) => (identity(left.name) < identity(right.name) ? -1 : 1));
  const causes = sorted.flatMap(({ manager, paths }) =>
    paths.map((field) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${manager}`,
      field,
    })),
  );
  const single = causes.length === 1 ? causes[0] : undefined;
  const text = single
    ? `${single.message}: ${single.field}`
    : sorted
        .map(({ manager, paths }) =>
          [`conflicts with ${manager}:`, ...paths.map((path) => `- ${path}`)].join("\n"),
        )
        .join("\n");
  const count = `${causes.length} conflict${single ? "" : "s"}`;
  return failure(409, "Conflict", `Apply failed with ${count}: ${text}`, { causes });
}

/** The conflicts without the allowed fields; a conflict with no field left is dropped. */
export function withoutFields(conflicts: readonly Conflict[], allowed: FieldSet): Conflict[] {
  return conflicts
    .map(({ owner, fields }) => ({ owner, fields: fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
}

/** The key of the conflict's owner among the managers. */
export const ownerKey = ({ owner }: Conflict): string => managerKey(owner.name);
