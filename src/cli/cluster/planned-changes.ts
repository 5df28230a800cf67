/** Changes of an object's fields as a plan shows them: those that a manifest says, without the values of Secrets. */
import { fieldDifferences, type FieldDifference } from "../../kube/field-differences.ts";
import type { ManifestObject } from "../../kube/object.ts";

/** Fields that the server keeps of every object, and the status, which is the business of who runs the object. */
const NOT_PLANNED = new Set([
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "metadata.selfLink",
  "status",
]);
/** Values of Secrets are not for a terminal or a log. */
const HIDDEN = "(hidden)";
const SECRET_FIELDS = /^(?:data|stringData)\b/;

/** The fields that differ, in the order in which they stand. */
export function plannedChanges(before: ManifestObject, after: ManifestObject): FieldDifference[] {
  const changes = [...fieldDifferences(before, after, (path) => NOT_PLANNED.has(path))];
  if (before.kind !== "Secret") return changes;
  return changes.map((change) =>
    SECRET_FIELDS.test(change.path)
      ? { ...change, before: hidden(change.before), after: hidden(change.after) }
      : change,
  );
}

const hidden = (value: unknown): unknown => (value === undefined ? undefined : HIDDEN);
