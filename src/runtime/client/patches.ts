/** Patches: changes of an object without the whole of it. */
import { TsopError } from "../../errors.ts";
import { getField, isJsonObject, sameJson, setField } from "../../kube/json.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/object.ts";

/** The body of a patch, and its type. */
export interface Patch {
  readonly contentType: string;
  readonly body: unknown;
}

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * A JSON merge patch (RFC 7386): lists are replaced as a whole, `null` removes.
 *
 * @example
 * await client.patch(Web, key, mergePatch({ spec: { replicas: 3 } }));
 */
export function mergePatch(body: object): Patch {
  return { contentType: "application/merge-patch+json", body };
}

/**
 * A JSON patch; a `test` operation makes it fail when the object is not as expected.
 *
 * @example
 * await client.patch(Web, key, jsonPatch([{ op: "replace", path: "/spec/replicas", value: 3 }]));
 */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: "application/json-patch+json", body: operations };
}

/**
 * A strategic merge patch: lists with a key are merged. Built-in kinds only.
 *
 * @example
 * await client.patch(Deployment, key, strategicPatch({ spec: { replicas: 3 } }));
 */
export function strategicPatch(body: object): Patch {
  return { contentType: "application/strategic-merge-patch+json", body };
}

/**
 * The merge patch that turns `base` into `changed`.
 *
 * @example
 * const changed = mutableCopy(web);
 * changed.spec.replicas = 3;
 * await client.patch(Web, key, mergeFrom(web, changed, { optimisticLock: true }));
 *
 * @param options.optimisticLock - the server refuses it (409) when the object changed since `base` was read
 */
export function mergeFrom<T extends KubeObject>(
  base: T,
  changed: T,
  { optimisticLock = false }: { readonly optimisticLock?: boolean } = {},
): Patch {
  const patch = mergePatch(difference(base, changed));
  return optimisticLock ? lockedPatch(patch, base) : patch;
}

/**
 * The patch with the version of the object as it was read, for each of the three types: the server
 * refuses it (409) when the object is of another version by now.
 *
 * @throws TsopError `lock-without-version`
 */
export function lockedPatch({ contentType, body }: Patch, read: KubeObject): Patch {
  const resourceVersion = versionOf(read);
  if (Array.isArray(body)) {
    // Not a `test`, whose failure is a 422 like any other: the version in the patch is its lock.
    const lock = { op: "add", path: "/metadata/resourceVersion", value: resourceVersion };
    return { contentType, body: [...(body as unknown[]), lock] };
  }
  const change = isJsonObject(body) ? body : {};
  const metadata = isJsonObject(change["metadata"]) ? change["metadata"] : {};
  return { contentType, body: { ...change, metadata: { ...metadata, resourceVersion } } };
}

function versionOf({ kind, metadata: { name, resourceVersion } }: KubeObject): string {
  if (resourceVersion) return resourceVersion;
  throw new TsopError(
    "lock-without-version",
    `The ${kind} ${name} cannot be patched with a lock: the object has no resourceVersion.`,
    "Use the object as the API server returned it, or patch it without `optimisticLock`.",
  );
}

/** The body of the merge patch that turns `base` into `changed`; empty where they are equal. */
export function difference(base: object, changed: object): Record<string, unknown> {
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
