/**
 * Patches of a kustomization: JSON6902 and strategic merge.
 *
 * @module
 */
import { messageOf, TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { applyJsonPatch } from "../../kube/patch.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { Patch } from "./kustomization.ts";
import { describeManifest, type Manifest } from "./resource.ts";
import { isSelected, type Selector } from "./select.ts";

/**
 * What identifies an item, by the name of its list: the merge keys of the built-in kinds.
 * Lists that are not here are replaced as a whole.
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ["name"],
  initContainers: ["name"],
  ephemeralContainers: ["name"],
  volumes: ["name"],
  env: ["name"],
  imagePullSecrets: ["name"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
  ports: ["containerPort", "port"],
  hostAliases: ["ip"],
  topologySpreadConstraints: ["topologyKey"],
  webhooks: ["name"],
  secrets: ["name"],
  conditions: ["type"],
};

/**
 * Applies a patch to the manifests that it means.
 *
 * @param documents - the patch's YAML documents
 * @param where - the file, for messages
 * @returns the manifests that are left: a patch can delete one
 * @throws TsopError `kustomize-patch` when it fits nothing or cannot be applied
 */
export function applyPatch(
  manifests: readonly Manifest[],
  patch: Patch,
  documents: readonly unknown[],
  where: string,
): Manifest[] {
  let left = [...manifests];
  for (const document of documents) {
    if (Array.isArray(document)) {
      if (!patch.target) throw broken(where, "a JSON patch needs a `target`");
      for (const manifest of chosen(left, patch.target, where)) {
        replaceContent(manifest, patched(manifest, document, where));
      }
    } else if (isJsonObject(document)) {
      const target = patch.target ?? targetOf(document, where);
      for (const manifest of chosen(left, target, where)) {
        const name = manifest.object.metadata.name;
        if (document["$patch"] === "delete") left = left.filter((other) => other !== manifest);
        else mergeObject(manifest.object, withoutIdentity(document));
        manifest.object.metadata.name = name ?? "";
      }
    }
  }
  return left;
}

function chosen(manifests: readonly Manifest[], target: Selector, where: string): Manifest[] {
  const found = manifests.filter((manifest) => isSelected(manifest, target));
  if (found.length > 0) return found;
  throw broken(where, `there is no object for the target ${JSON.stringify(target)}`);
}

function patched(manifest: Manifest, operations: unknown[], where: string): JsonObject {
  try {
    return applyJsonPatch(manifest.object, operations) as JsonObject;
  } catch (error) {
    throw broken(where, `it does not fit ${describeManifest(manifest)}: ${messageOf(error)}`);
  }
}

function replaceContent({ object }: Manifest, content: JsonObject): void {
  for (const field of Object.keys(object)) {
    if (!(field in content)) delete (object as JsonObject)[field];
  }
  Object.assign(object, content);
}

function targetOf(document: JsonObject, where: string): Selector {
  const { apiVersion, kind, metadata } = document;
  const name = isJsonObject(metadata) ? metadata["name"] : undefined;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof name !== "string") {
    throw broken(
      where,
      "a strategic merge patch has apiVersion, kind and metadata.name, or a `target`",
    );
  }
  const exactly = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const { group, version } = parseApiVersion(apiVersion);
  return { group: exactly(group), version, kind, name: exactly(name) };
}

/** What identifies the object is not changed by a patch. */
function withoutIdentity(document: JsonObject): JsonObject {
  const rest = without(document, ["apiVersion", "kind"]);
  const { metadata } = rest;
  return isJsonObject(metadata)
    ? { ...rest, metadata: without(metadata, ["name", "namespace"]) }
    : rest;
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

function mergeObject(target: JsonObject, patch: JsonObject): void {
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith("$")) continue;
    if (value === null) {
      delete target[field];
    } else if (Array.isArray(value)) {
      target[field] = mergeList(field, target[field], value);
    } else if (isJsonObject(value)) {
      const before = target[field];
      const base = isJsonObject(before) && value["$patch"] !== "replace" ? before : {};
      mergeObject(base, value);
      target[field] = base;
    } else {
      target[field] = value;
    }
  }
}

function mergeList(field: string, before: unknown, patch: unknown[]): unknown[] {
  const key = keyFor(field, patch);
  const replaced = patch.some((item) => isJsonObject(item) && item["$patch"] === "replace");
  if (key === undefined || !Array.isArray(before) || replaced) {
    return patch.filter((item) => !isJsonObject(item) || !("$patch" in item));
  }
  const left: unknown[] = [...(before as unknown[])];
  const named: unknown[] = [];
  for (const item of patch) {
    if (!isJsonObject(item)) continue;
    const index = left.findIndex((other) => isJsonObject(other) && other[key] === item[key]);
    const [found] = index < 0 ? [{}] : left.splice(index, 1);
    if (item["$patch"] === "delete") continue;
    mergeObject(found as JsonObject, item);
    named.push(found);
  }
  // What the patch names stands first, in its order, as kustomize puts it.
  return [...named, ...left];
}

function keyFor(field: string, items: readonly unknown[]): string | undefined {
  return MERGE_KEYS[field]?.find((key) =>
    items.every((item) => isJsonObject(item) && (key in item || "$patch" in item)),
  );
}

function broken(where: string, what: string): TsopError {
  return new TsopError(
    "kustomize-patch",
    `The patch ${where} cannot be applied: ${what}.`,
    "Compare its target and paths with the file that it changes.",
  );
}
