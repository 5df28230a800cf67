/**
 * Patches: a change of an object without the whole of it.
 *
 * @module
 */
import type { Json, JsonObject, KubeObject } from "../../kube/object.ts";
import { getField, isJsonObject, sameJson, setField } from "../../kube/json.ts";

/** A body and how the server is to read it. */
export interface Patch {
  readonly contentType: string;
  readonly body: unknown;
}

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** A JSON merge patch (RFC 7386): lists are replaced as a whole, `null` removes. */
export function mergePatch(body: object): Patch {
  return { contentType: "application/merge-patch+json", body };
}

/** A JSON patch; a `test` operation makes it fail when the object is not as expected. */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: "application/json-patch+json", body: operations };
}

/** A strategic merge patch: lists with a key are merged. Built-in kinds only. */
export function strategicPatch(body: object): Patch {
  return { contentType: "application/strategic-merge-patch+json", body };
}

/**
 * The merge patch that makes `changed` of `base`.
 *
 * @param options.optimisticLock - the server refuses it (409) when the object changed since `base` was read
 */
export function mergeFrom<T extends KubeObject>(
  base: T,
  changed: T,
  { optimisticLock = false }: { readonly optimisticLock?: boolean } = {},
): Patch {
  const body = difference(base, changed);
  if (optimisticLock) {
    const metadata = isJsonObject(body["metadata"]) ? body["metadata"] : {};
    const { resourceVersion } = base.metadata;
    body["metadata"] = { ...metadata, resourceVersion };
  }
  return mergePatch(body);
}

function difference(base: object, changed: object): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(base), ...Object.keys(changed)])) {
    const before = getField(base as JsonObject, key);
    const after = getField(changed as JsonObject, key);
    if (sameJson(before, after)) continue;
    if (after === undefined) setField(patch, key, null);
    else if (isJsonObject(before) && isJsonObject(after)) {
      setField(patch, key, difference(before, after));
    } else setField(patch, key, after);
  }
  return patch;
}
