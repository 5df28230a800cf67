import { messageOf, TsopError } from "../../errors.ts";
import { isJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { applyJsonPatch } from "../../kube/patch.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { Patch } from "./kustomization.ts";
import { parseYaml } from "./manifests.ts";
import {
  describeId,
  describeManifest,
  isSameId,
  type Manifest,
  type ResourceId,
} from "./resource.ts";
import { isSelected, type Selector } from "./select.ts";
import { MergeProblem, mergeStrategically } from "./strategic-merge.ts";

/** A patch that was read: what it does, and to which objects. */
export interface PatchContent {
  /** The file and place, for messages. */
  readonly where: string;
  readonly documents: readonly unknown[];
  readonly target?: Selector;
  readonly options?: NonNullable<Patch["options"]>;
  /** Whether the former name is kept, so that references follow a JSON patch that renames. */
  readonly remembersName: boolean;
}

/** The documents of a patch's text. @throws TsopError `kustomize-patch` or `broken-yaml` */
export function parsePatch(where: string, text: string): unknown[] {
  if (text.startsWith("[") && !isJson(text)) {
    throw new TsopError(
      "kustomize-patch",
      `${where}: the patch starts with \`[\` but is not JSON.`,
      "Quote its fields and strings, or write each operation on its own line, after `- `.",
    );
  }
  return parseYaml(where, text).filter((document) => document !== null && document !== undefined);
}

/**
 * Applies a patch to the manifests that its target selects.
 *
 * @returns the manifests that are left: a patch can delete one
 * @throws TsopError `kustomize-patch` when it fits nothing or cannot be applied
 */
export function applyPatch(manifests: readonly Manifest[], patch: PatchContent): Manifest[] {
  const { documents, where, target } = patch;
  if (target !== undefined && documents.length > 1) {
    throw broken(where, "a patch with a `target` has one document");
  }
  let left = [...manifests];
  for (const document of documents) {
    if (Array.isArray(document)) applyOperations(left, document, patch);
    else if (isJsonObject(document)) applyMerge(left, document, patch);
    else throw broken(where, "it is neither a list of operations nor an object");
    left = left.filter(({ isDeleted }) => !isDeleted);
  }
  return left;
}

function applyOperations(
  manifests: readonly Manifest[],
  operations: unknown[],
  { where, target, remembersName }: PatchContent,
): void {
  if (!target) throw broken(where, "a JSON patch needs a `target`");
  for (const manifest of chosen(manifests, target, where)) {
    if (remembersName) manifest.rememberName();
    try {
      manifest.object = applyJsonPatch(manifest.object, operations) as Manifest["object"];
      manifest.blankFields = [];
    } catch (error) {
      throw broken(where, `it does not fit ${describeManifest(manifest)}: ${messageOf(error)}`);
    }
  }
}

function applyMerge(
  manifests: readonly Manifest[],
  document: JsonObject,
  { where, target, options = {} }: PatchContent,
): void {
  const id = identityOf(document, where);
  const targets = target ? chosen(manifests, target, where) : [named(manifests, id, where)];
  for (const manifest of targets) {
    const { name, namespace } = manifest.object.metadata;
    const { kind, apiVersion } = manifest.object;
    if (options.allowNameChange || options.allowKindChange) manifest.rememberName();
    const own = { ...document, ...(target ? { apiVersion } : {}) };
    const result = mergedOrRefused(manifest, own, where);
    if (result === undefined) {
      manifest.isDeleted = true;
      continue;
    }
    const object = result as Manifest["object"];
    if (!options.allowKindChange) object.kind = kind;
    object.metadata = { ...object.metadata };
    if (!options.allowNameChange && name) object.metadata.name = name;
    delete object.metadata.namespace;
    if (namespace !== undefined) object.metadata.namespace = namespace;
    manifest.object = object;
    manifest.blankFields = [];
  }
}

function mergedOrRefused(
  manifest: Manifest,
  patch: JsonObject,
  where: string,
): JsonObject | undefined {
  try {
    return mergeStrategically(manifest.object, patch, manifest.blankFields);
  } catch (error) {
    if (!(error instanceof MergeProblem)) throw error;
    throw broken(where, `it does not fit ${describeManifest(manifest)}: ${error.message}`);
  }
}

function chosen(manifests: readonly Manifest[], target: Selector, where: string): Manifest[] {
  const found = manifests.filter((manifest) => isSelected(manifest, target));
  if (found.length > 0) return found;
  throw broken(where, `there is no object for the target ${JSON.stringify(target)}`);
}

function named(manifests: readonly Manifest[], id: ResourceId, where: string): Manifest {
  const found = manifests.filter(({ ids }) => ids.some((own) => isSameId(own, id)));
  const [only] = found;
  if (only && found.length === 1) return only;
  const namespace = id.namespace === "" ? "" : ` in ${id.namespace}`;
  throw broken(
    where,
    found.length === 0
      ? `there is no ${describeId(id)}${namespace}`
      : `${found.length} objects are or were called ${describeId(id)}${namespace}`,
  );
}

function identityOf(document: JsonObject, where: string): ResourceId {
  const { apiVersion = "", kind, metadata } = document;
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof name !== "string") {
    throw broken(where, "a strategic merge patch has apiVersion, kind and metadata.name");
  }
  return {
    ...parseApiVersion(apiVersion),
    kind,
    name,
    namespace: typeof namespace === "string" ? namespace : "",
  };
}

function broken(where: string, what: string): TsopError {
  return new TsopError(
    "kustomize-patch",
    `The patch ${where} cannot be applied: ${what}.`,
    "Compare its target and paths with the file that it changes.",
  );
}
