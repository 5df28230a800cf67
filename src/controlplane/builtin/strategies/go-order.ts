/**
 * Brings the keys of a built-in object into the order in which an API server written in Go prints them: those of a
 * struct as its fields are declared, those of a map sorted.
 *
 * Answers need no order; messages that quote an object do.
 *
 * @module
 */
import { isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { findGoFields } from "./go-shape.ts";

/** A copy of the object with its keys in order; what the tables do not know stays as it stands. */
export function inGoOrder(object: SentObject): JsonObject {
  const { kind, apiVersion, ...rest } = object;
  const ordered = orderValue(rest, `${apiVersion}.${kind}`) as JsonObject;
  return { kind, apiVersion, ...ordered };
}

/** @param code - of what the value is: a type's name, behind `{}` for a map of them */
function orderValue(value: unknown, code: string): unknown {
  if (Array.isArray(value)) return value.map((item) => orderValue(item, code));
  if (!isJsonObject(value)) return value;
  if (code.startsWith("{}")) return orderMap(value, code.slice(2));
  const fields = findGoFields(code);
  if (!fields) return value;
  const ordered: JsonObject = {};
  for (const [field, inner] of fields) {
    if (Object.hasOwn(value, field)) {
      setField(ordered, field, orderValue(value[field], inner.replace(/^[?!*~]*(\[\])?/, "")));
    }
  }
  for (const [field, item] of Object.entries(value)) {
    if (!Object.hasOwn(ordered, field)) setField(ordered, field, item);
  }
  return ordered;
}

function orderMap(value: JsonObject, code: string): JsonObject {
  const ordered: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    setField(ordered, key, orderValue(value[key], code));
  }
  return ordered;
}
