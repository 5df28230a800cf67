/** Conflicts of an apply: fields that other managers own with other values. */
import { quote } from "../../kube/field-errors.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { type FieldSet, printPath } from "./field-set.ts";
import type { ManagerName, Ownership } from "./managers.ts";

/** The fields of one other manager that an apply would change. */
export interface Conflict {
  /** The key of the owner among the managers. */
  readonly key: string;
  readonly owner: Ownership;
  readonly fields: FieldSet;
}

function printManager({ manager, subresource, operation, apiVersion }: ManagerName): string {
  const subject =
    quote(manager) + (subresource === "" ? "" : ` with subresource ${quote(subresource)}`);
  return operation === "Update" ? `${subject} using ${apiVersion}` : subject;
}

/** The 409 that names every conflicting field and its owner. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = conflicts
    .toSorted((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ owner, fields }) => ({
      manager: printManager(owner.name),
      paths: fields.paths().map(printPath),
    }));
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
    .map((conflict) => ({ ...conflict, fields: conflict.fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
}
