/** Parts of manifests, which may be anything: a part of another type than expected is read as absent. */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { ValuePath } from "../project/yaml/yaml-documents.ts";

/** The value at a path; `undefined` where it leads nowhere. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  let now = value;
  for (const step of path) {
    if (typeof now !== "object" || now === null) return undefined;
    now = (now as Record<string | number, unknown>)[step];
  }
  return now;
}

/** The mapping at a path; an empty one where there is none. */
export function objectAt(value: unknown, path: ValuePath): JsonObject {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : {};
}

/** The list at a path; an empty one where there is none. */
export function listAt(value: unknown, path: ValuePath): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path; empty where there is none. */
export function textAt(value: unknown, path: ValuePath): string {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : "";
}

/** The texts of the list at a path. */
export const textsAt = (value: unknown, path: ValuePath): readonly string[] =>
  listAt(value, path).filter((item) => typeof item === "string");

/** All values below this one, each with its path. */
export function* valuesBelow(
  value: unknown,
  path: ValuePath = [],
): Generator<readonly [path: ValuePath, value: unknown]> {
  yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    yield* valuesBelow(child, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

/** The steps of a path as the API server writes it, such as `spec.list[0].name`. */
export const pathOf = (text: string): ValuePath =>
  [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = ""]) =>
    index === undefined ? name : Number(index),
  );
