/**
 * Compares two schemas of one version: the values that the new one refuses, drops or fills in
 * differently.
 */
import type { Schema } from "../../kube/schema/structural.ts";
import type { Finding, Step } from "./change.ts";
import { compareNode } from "./compare-node.ts";
import { getField } from "../../kube/json.ts";

/** A difference and the path at which it is. */
interface SchemaChange extends Finding {
  readonly path: readonly Step[];
}

/** All differences of two schemas, outer ones first. */
export function compareSchemas(
  before: Schema,
  after: Schema,
  path: readonly Step[] = [],
): SchemaChange[] {
  const changes: SchemaChange[] = compareNode(before, after).map((found) => ({ ...found, path }));
  // Below another type, everything differs; that is said once.
  if (before.type !== after.type) return changes;
  changes.push(...compareProperties(before, after, path));
  if (before.items && after.items) {
    changes.push(...compareSchemas(before.items, after.items, [...path, "items"]));
  }
  changes.push(...compareValues(before, after, path));
  return changes;
}

const isOpen = (schema: Schema): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true;

/** The differences of the values that a record takes under names that it does not list. */
function compareValues(before: Schema, after: Schema, path: readonly Step[]): SchemaChange[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const at: Step[] = [...path, "values"];
  const say = (severity: Finding["severity"], message: string): SchemaChange[] => [
    { severity, keyword: VALUES, message, path },
  ];
  if (old && now) return compareSchemas(old, now, at);
  if (now)
    return isOpen(before)
      ? say("breaking", "fields that were kept without validation are now validated")
      : [];
  if (!old) return [];
  return isOpen(after)
    ? say("risky", "the values are no longer described; they are kept unchecked")
    : say("breaking", "names that are not listed are dropped now");
}

const VALUES = "additionalProperties";

/** The schema of a record's values: that of anything where it is only said that there are some. */
function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  if (typeof additionalProperties === "object") return additionalProperties;
  return additionalProperties === true ? ANYTHING : undefined;
}

const ANYTHING: Schema = { "x-kubernetes-preserve-unknown-fields": true };

function compareProperties(before: Schema, after: Schema, path: readonly Step[]): SchemaChange[] {
  const [old, fresh] = [before.properties ?? {}, after.properties ?? {}];
  const wasRequired = new Set(before.required);
  const isRequired = new Set(after.required);
  const changes: SchemaChange[] = [];
  const add = (name: string, severity: Finding["severity"], message: string): void => {
    changes.push({ severity, keyword: "", message, path: [...path, { field: name }] });
  };
  for (const [name, schema] of Object.entries(old)) {
    const now = getField(fresh, name);
    if (now) changes.push(...compareSchemas(schema, now, [...path, { field: name }]));
    else changes.push(...removedField(schema, after, [...path, { field: name }]));
    if (wasRequired.has(name) && !isRequired.has(name)) {
      add(name, "safe", "the field is no longer required");
    } else if (wasRequired.has(name) && now && fills(schema) && !fills(now)) {
      add(name, "breaking", "the field is required and no longer has a default");
    }
  }
  for (const [name, schema] of Object.entries(fresh)) {
    if (Object.hasOwn(old, name)) continue;
    if (isOpen(before))
      add(
        name,
        "breaking",
        "contents of the field that were kept without validation are now validated",
      );
    else if (valuesOf(before))
      changes.push(...namedValue(before, schema, [...path, { field: name }]));
    else if (!isRequired.has(name)) add(name, "safe", "the field is new");
  }
  for (const name of isRequired) {
    if (wasRequired.has(name)) continue;
    add(name, ...nowRequired(getField(fresh, name)));
  }
  return changes;
}

/** A field that is not listed any more; what objects have in it stays only in a record or where all is kept. */
function removedField(field: Schema, after: Schema, path: readonly Step[]): SchemaChange[] {
  const values = valuesOf(after);
  const say = (severity: Finding["severity"], message: string): SchemaChange => ({
    severity,
    keyword: "",
    message,
    path,
  });
  if (values) {
    const message = "the field is now a value of the record";
    return [say("risky", message), ...compareSchemas(field, values, path)];
  }
  return isOpen(after)
    ? [say("risky", "the field is no longer described; it is kept unchecked")]
    : [say("breaking", "the field was removed; what objects have in it is dropped")];
}

/** A field that was one of a record's values. */
function namedValue(before: Schema, field: Schema, path: readonly Step[]): SchemaChange[] {
  const message = "the field was a value of the record";
  return [
    { severity: "risky", keyword: "", message, path },
    ...compareSchemas(valuesOf(before) ?? {}, field, path),
  ];
}

const fills = (schema: Schema): boolean => schema.default !== undefined;

function nowRequired(field: Schema | undefined): [Finding["severity"], string] {
  return field?.default === undefined
    ? ["breaking", "the field is required now; objects without it are refused"]
    : ["safe", "the field is required now, and has a default"];
}
