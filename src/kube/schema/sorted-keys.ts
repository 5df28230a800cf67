/** Objects with their keys in order, as Go writes a map into a message. */
import { isJsonObject, setField } from "../json.ts";
import type { JsonObject } from "../object.ts";

/** A copy of the value in which the keys of every object are sorted. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = {};
  for (const name of Object.keys(value).sort()) setField(sorted, name, sortedKeys(value[name]));
  return sorted;
}
