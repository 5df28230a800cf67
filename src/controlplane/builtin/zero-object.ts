/**
 * The empty object of a built-in kind, as Go's struct of it is written: the fields that are always there.
 *
 * A create is compared with it, which decides whether `metadata.managedFields` lists a container itself.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import {
  type Definition,
  type GroupVersionKind,
  REFERENCE_PREFIX,
  definitions,
  findDefinitionName,
} from "./definitions.ts";

/** The empty object of the kind; just its type for one that is not built in. */
export function zeroObject(gvk: GroupVersionKind): JsonObject {
  const name = findDefinitionName(gvk);
  const definition = name === undefined ? undefined : definitions()[name];
  return {
    ...(definition ? zeroFields(definition) : {}),
    apiVersion: gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`,
    kind: gvk.kind,
  };
}

/** Times by value, which are written as null; OpenAPI does not tell them from pointers. */
const ZERO_TIMES: ReadonlySet<string> = new Set([
  "firstTimestamp",
  "lastTimestamp",
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "eventTime",
]);

function zeroFields(definition: Definition): JsonObject {
  const fields: JsonObject = {};
  for (const [name, field] of Object.entries(definition.properties ?? {})) {
    const isRequired = definition.required?.includes(name) === true || ZERO_TIMES.has(name);
    const value = zeroValue(field, isRequired);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** `undefined` for a field that is left out while it is empty. */
function zeroValue(field: Definition, isRequired: boolean): unknown {
  const reference = field.$ref ?? field.allOf?.[0]?.$ref;
  if (reference !== undefined) {
    const target = definitions()[reference.slice(REFERENCE_PREFIX.length)];
    // Only a struct that is there by value has an empty default; a pointer has none.
    if (field.default !== undefined && target?.properties) return zeroFields(target);
    return isRequired ? null : undefined;
  }
  const isZero = field.default === "" || field.default === 0 || field.default === false;
  if (isZero) return field.default;
  return isRequired ? null : undefined;
}
