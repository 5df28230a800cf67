/**
 * The JSON of a patched object, for messages that quote it.
 *
 * A server written in Go applies JSON patches and merge patches to text: objects that a patch looks
 * into get their keys sorted, the others stay as they were written.
 */
import { encodeJson, getField, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { applyJsonPatch, withoutNulls } from "../../kube/patch.ts";
import { sortedKeys } from "../../kube/schema/sorted-keys.ts";
import { escapeMarkup } from "../builtin/go/print.ts";

/**
 * The JSON of an object after a patch.
 *
 * @param live - the object before the patch, with its keys in the order in which a server writes
 *   them
 * @throws StatusError when the patch does not apply
 */
export function patchedText(live: JsonObject, form: "json" | "merge", patch: unknown): string {
  return escapeMarkup(encodeJson(form === "json" ? jsonPatched(live, patch) : merged(live, patch)));
}

function jsonPatched(live: JsonObject, patch: unknown): unknown {
  const opened = new Set<object>();
  const patched = applyJsonPatch(live, patch, opened);
  if (isJsonObject(patched)) opened.add(patched);
  return sortOpened(patched, opened);
}

function sortOpened(value: unknown, opened: ReadonlySet<object>): unknown {
  if (Array.isArray(value)) return value.map((item) => sortOpened(item, opened));
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  const shown: JsonObject = {};
  for (const key of opened.has(value) ? keys.sort() : keys) {
    setField(shown, key, sortOpened(value[key], opened));
  }
  return shown;
}

function merged(live: JsonObject, patch: unknown): unknown {
  if (!isJsonObject(patch)) return live;
  const shown: JsonObject = {};
  for (const key of [...new Set([...Object.keys(live), ...Object.keys(patch)])].sort()) {
    const current = getField(live, key);
    const change = getField(patch, key);
    if (change === undefined) setField(shown, key, current);
    else if (change !== null) setField(shown, key, replacement(current, change));
  }
  return shown;
}

function replacement(current: unknown, change: unknown): unknown {
  if (!isJsonObject(current)) return sortedKeys(withoutNulls(change));
  return isJsonObject(change) ? merged(current, change) : change;
}
