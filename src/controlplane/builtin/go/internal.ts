/**
 * Converts parts of built-in objects into the internal structs of an API server written in Go.
 *
 * Messages that quote such a struct print all of its fields under their Go names, absent ones as
 * null or zero. The table is made by `scripts/make/kubernetes/go-internal.mjs`: for each type its fields
 * as [Go name, name in JSON, code]. The codes:
 *
 *   `text`, `number`, `bool`, `quantity`, `intOrString`: zero when absent
 *   `time`, `bytes`, `*code`: null when absent
 *   `[]code`, `{}code`: a list or a map, null when absent
 *   `tree`: as in JSON
 *   `?code`: left out when absent or empty
 *   any other name: a struct
 *
 * A field without a Go name prints the fields of its struct in its place.
 */
import { getField, isJsonObject, sameJson, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { LineTable } from "../../line-table.ts";
import { asGiven } from "./emptied.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { tableOf } from "../../../table.ts";

type Field = readonly [shown: string, json: string, code: string];

const types = new LineTable<readonly Field[]>(new URL("./internal.data.json", import.meta.url));

const ZERO = tableOf<unknown>({
  text: "",
  number: 0,
  bool: false,
  quantity: "0",
  intOrString: 0,
  bytes: null,
  time: null,
  tree: null,
});

/**
 * The internal form of `value`, for messages.
 *
 * @param type - the Go type with its package (`core.PodSpec`), or a code such as `[]core.Taint`
 */
export function internalForm(type: string, value: unknown): unknown {
  return formOf(type, value, asGiven);
}

/** Reads a field of a struct; null when it is absent. */
type Read = (source: JsonObject, field: string) => unknown;

/** Reads a field as it is stored: empty lists and maps that a client sent are absent. */
const asStored: Read = (source, field) => getField(source, field) ?? null;

function formOf(type: string, value: unknown, read: Read): unknown {
  if (type.startsWith("?")) return formOf(type.slice(1), value, read);
  if (type.startsWith("*")) {
    return value === undefined || value === null ? null : formOf(type.slice(1), value, read);
  }
  if (type.startsWith("[]")) {
    return Array.isArray(value) ? value.map((item) => formOf(type.slice(2), item, read)) : null;
  }
  if (type.startsWith("{}")) {
    return isJsonObject(value) ? mapForm(type.slice(2), value, read) : null;
  }
  const fields = types.get(type);
  if (!fields) return value ?? ZERO.get(type);
  return structForm(fields, isJsonObject(value) ? value : {}, read);
}

function mapForm(type: string, value: JsonObject, read: Read): JsonObject {
  const shown: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    setField(shown, key, formOf(type, getField(value, key), read));
  }
  return shown;
}

function structForm(fields: readonly Field[], value: JsonObject, read: Read): JsonObject {
  const shown: JsonObject = {};
  for (const [name, json, code] of fields) {
    const form = formOf(code, read(value, json), read);
    if (name === "") Object.assign(shown, form);
    else if (!code.startsWith("?") || !isEmpty(form, code)) shown[name] = form;
  }
  return shown;
}

function isEmpty(value: unknown, code: string): boolean {
  if (code.startsWith("?*")) return value === null;
  if (value === null || value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/**
 * Whether two values have the same internal form, by Go's semantic equality: an empty list or map
 * equals an absent one.
 *
 * @param type - as for `internalForm`
 */
export function sameForm(type: string, left: unknown, right: unknown): boolean {
  return sameJson(formOf(type, left, asStored), formOf(type, right, asStored));
}

/**
 * The differences between the internal forms of two values, as messages show them; empty when they
 * are the same.
 */
export function formDifference(type: string, before: unknown, after: unknown): string {
  if (sameForm(type, before, after)) return "";
  return unifiedDiff(internalForm(type, before), internalForm(type, after));
}
