/** Field changes as the journal keeps them: few, short, without the values of Secrets. */
import { fieldDifferences } from "../../kube/field-differences.ts";
import type { Json } from "../../kube/object.ts";
import type { FieldChange, FieldChanges } from "./entry.ts";

const MOST_CHANGES = 40;
const MOST_CHARACTERS = 200;
const HIDDEN = "(hidden)";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Fields that the server itself maintains, and those that identify the object. */
const NOT_TOLD = new Set([
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "metadata.name",
  "metadata.namespace",
  `metadata.annotations["${LAST_APPLIED}"]`,
  "apiVersion",
  "kind",
]);
const SECRET_FIELDS = /^(?:data|stringData|spec|status)(?:[.[]|$)/;

/**
 * The fields of `after` that are not those of `before`; all of them where there was nothing before.
 *
 * @param isSecret - hides the values
 */
export function fieldChanges(before: unknown, after: unknown, isSecret: boolean): FieldChanges {
  const found: FieldChange[] = [];
  let more = 0;
  for (const change of fieldDifferences(before, after, (path) => NOT_TOLD.has(path))) {
    if (found.length >= MOST_CHANGES) {
      more++;
      continue;
    }
    const hidden = isSecret && SECRET_FIELDS.test(change.path);
    const shown = (value: unknown): Json => (hidden ? HIDDEN : shortened(value));
    found.push({
      path: change.path,
      ...(change.before === undefined ? {} : { before: shown(change.before) }),
      ...(change.after === undefined ? {} : { after: shown(change.after) }),
    });
  }
  return { changes: found, ...(more > 0 && { more }) };
}

function shortened(value: unknown): Json {
  if (typeof value === "string") {
    return value.length <= MOST_CHARACTERS ? value : `${value.slice(0, MOST_CHARACTERS)}…`;
  }
  const text = value === undefined ? "" : JSON.stringify(value);
  return text.length <= MOST_CHARACTERS
    ? (JSON.parse(text === "" ? "null" : text) as Json)
    : `${text.slice(0, MOST_CHARACTERS)}…`;
}
