/**
 * Which fields differ between two states of an object, in the words that a plan shows.
 *
 * @module
 */
import { isJsonObject, sameJson } from "../../kube/json.ts";
import type { ManifestObject } from "../../kube/object.ts";

/** One field that differs; `undefined` stands for "not there". */
export interface FieldChange {
  /** `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Metadata that the server keeps for every object, and that no manifest says. */
const KEPT_BY_SERVER = [
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
  "selfLink",
];
/** Values of Secrets are not for a terminal or a log. */
const HIDDEN = "(hidden)";
const SECRET_FIELDS = /^(?:data|stringData)\b/;

/** The fields that differ, in the order in which they stand. The status is the business of who runs the object. */
export function fieldChanges(before: ManifestObject, after: ManifestObject): FieldChange[] {
  const changes = [...differences(told(before), told(after), "")];
  if (before.kind !== "Secret") return changes;
  return changes.map((change) =>
    SECRET_FIELDS.test(change.path)
      ? { ...change, before: hidden(change.before), after: hidden(change.after) }
      : change,
  );
}

const hidden = (value: unknown): unknown => (value === undefined ? undefined : HIDDEN);

/** The object as far as a manifest says it. */
function told(object: ManifestObject): Record<string, unknown> {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([key]) => !KEPT_BY_SERVER.includes(key)),
  );
  const fields = Object.entries({ ...object, metadata }).filter(([key]) => key !== "status");
  return Object.fromEntries(fields);
}

function* differences(before: unknown, after: unknown, path: string): Generator<FieldChange> {
  if (sameJson(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences(before[key], after[key], joined(path, key));
    }
  } else if (
    Array.isArray(before) &&
    Array.isArray(after) &&
    areObjects(before) &&
    areObjects(after)
  ) {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index++) {
      yield* differences(before[index], after[index], `${path}[${index}]`);
    }
  } else {
    yield { path, before, after };
  }
}

const areObjects = (items: readonly unknown[]): boolean =>
  items.every((item) => isJsonObject(item));

function joined(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
