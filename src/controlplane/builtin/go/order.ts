/**
 * Sorts the keys of a built-in object as an API server written in Go prints them: those of a struct
 * as its fields are declared, those of a map by name.
 *
 * Answers need no order, but messages that quote an object do.
 */
import { isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { findGoFields } from "./shape.ts";

/**
 * A copy of the object with its keys sorted; parts that the tables do not cover keep their order.
 */
export function inGoOrder(object: SentObject): JsonObject {
  const { kind, apiVersion, ...rest } = object;
  const ordered = orderValue(rest, `${apiVersion}.${kind}`) as JsonObject;
  return { kind, apiVersion, ...ordered };
}

/** @param code - the type of the value: the name of a struct, after `{}` for a map of them */
function orderValue(value: unknown, code: string): unknown {
  if (Array.isArray(value)) return value.map((item) => orderValue(item, code));
  if (!isJsonObject(value)) return value;
  if (code.startsWith("{}")) return orderMap(value, code.slice(2));
  const fields = findGoFields(code);
  if (!fields) return value;
  const ordered: JsonObject = {};
  for (const { name, sign, type } of fields) {
    if (!Object.hasOwn(value, name)) continue;
    setField(ordered, name, orderValue(value[name], sign.endsWith("{}") ? `{}${type}` : type));
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
