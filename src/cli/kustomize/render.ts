/**
 * What a kustomization renders to: the part of kustomize that the scaffold's layout uses, as
 * `kubectl kustomize` does it. What is not known here is refused.
 *
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/
 * @module
 */
import { stat } from "node:fs/promises";
import { isJsonObject } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { TsopError } from "../../errors.ts";
import {
  parseYaml,
  readKustomization,
  readManifests,
  readText,
  resolveIn,
  type ImageOverride,
  type Kustomization,
  type Patch,
} from "./kustomization.ts";
import { fixNameReferences, type NameReference } from "./name-references.ts";
import { applyPatch } from "./patches.ts";
import { applyReplacement } from "./replacements.ts";
import { describeManifest, manifestOf, orderOf, type Manifest } from "./resource.ts";
import {
  addAnnotations,
  addLabels,
  setImage,
  setNames,
  setNamespace,
  setReplicas,
} from "./transform.ts";

/** What a command adds to the kustomization without writing it into the user's file. */
export interface RenderOptions {
  readonly images?: readonly ImageOverride[];
}

/** The objects of a kustomization, in the order in which they are applied. */
export async function renderKustomization(
  folder: string,
  options: RenderOptions = {},
): Promise<KubeObject[]> {
  const references: NameReference[] = [];
  const manifests = await renderFolder(folder, references);
  for (const image of options.images ?? []) setImage(manifests, image);
  fixNameReferences(manifests, references);
  return manifests
    .map(({ object }) => object)
    .sort((one, other) => orderOf(one.kind) - orderOf(other.kind));
}

async function renderFolder(folder: string, references: NameReference[]): Promise<Manifest[]> {
  const kustomization = await readKustomization(folder);
  const manifests: Manifest[] = [];
  for (const entry of kustomization.resources) {
    const path = resolveIn(folder, entry);
    const added = (await isFolder(path))
      ? await renderFolder(path, references)
      : (await readManifests(path)).map(manifestOf);
    for (const manifest of added) addOnce(manifests, manifest, path);
  }
  return transform(folder, kustomization, manifests, references);
}

async function transform(
  folder: string,
  kustomization: Kustomization,
  own: Manifest[],
  references: NameReference[],
): Promise<Manifest[]> {
  let manifests = own;
  for (const entry of kustomization.components) {
    manifests = await addComponent(resolveIn(folder, entry), manifests, references);
  }
  for (const entry of kustomization.configurations) {
    references.push(...(await readNameReferences(resolveIn(folder, entry))));
  }
  for (const patch of kustomization.patches) {
    manifests = await patchAll(folder, patch, manifests);
  }
  const { namespace, namePrefix = "", nameSuffix = "", commonAnnotations } = kustomization;
  if (namespace !== undefined) setNamespace(manifests, namespace);
  setNames(manifests, namePrefix, nameSuffix);
  for (const labels of kustomization.labels) addLabels(manifests, labels);
  if (commonAnnotations) addAnnotations(manifests, commonAnnotations);
  for (const replicas of kustomization.replicas) setReplicas(manifests, replicas);
  for (const image of kustomization.images) setImage(manifests, image);
  for (const replacement of kustomization.replacements) applyReplacement(manifests, replacement);
  return manifests;
}

/** A component works on what its user has gathered so far. */
async function addComponent(
  folder: string,
  gathered: readonly Manifest[],
  references: NameReference[],
): Promise<Manifest[]> {
  const component = await readKustomization(folder);
  if (component.kind !== "Component") {
    throw new TsopError(
      "not-a-component",
      `${folder} is listed under \`components\`, but its kind is Kustomization.`,
      "List it under `resources`, or make it `kind: Component`.",
    );
  }
  const manifests = [...gathered];
  for (const entry of component.resources) {
    const path = resolveIn(folder, entry);
    const added = (await isFolder(path))
      ? await renderFolder(path, references)
      : (await readManifests(path)).map(manifestOf);
    for (const manifest of added) addOnce(manifests, manifest, path);
  }
  return transform(folder, component, manifests, references);
}

async function patchAll(folder: string, patch: Patch, manifests: Manifest[]): Promise<Manifest[]> {
  const path = patch.path === undefined ? undefined : resolveIn(folder, patch.path);
  const where = path ?? `in ${folder}`;
  const text = path === undefined ? (patch.patch ?? "") : await readText(path);
  if (text.startsWith("[") && !isJson(text)) {
    throw new TsopError(
      "kustomize-patch",
      `${where}: the patch begins with \`[\`, but is not JSON.`,
      "Quote its fields and texts, or write each operation on a line of its own, after `- `.",
    );
  }
  return applyPatch(manifests, patch, parseYaml(where, text), where);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The `nameReference` part of a transformer configuration. */
async function readNameReferences(path: string): Promise<NameReference[]> {
  const [data] = parseYaml(path, await readText(path));
  const listed: unknown = isJsonObject(data) ? data["nameReference"] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.filter(isJsonObject).flatMap((entry) => {
    const fields: unknown = entry["fieldSpecs"];
    if (typeof entry["kind"] !== "string" || !Array.isArray(fields)) return [];
    const to = entry["kind"];
    return fields.filter(isJsonObject).map((field) => ({
      to,
      path: String(field["path"]).split("/"),
      ...(typeof field["kind"] === "string" ? { from: field["kind"] } : {}),
      ...(typeof field["group"] === "string" ? { group: field["group"] } : {}),
    }));
  });
}

function addOnce(manifests: Manifest[], manifest: Manifest, path: string): void {
  const { apiVersion, kind, metadata } = manifest.object;
  const twin = manifests.some(
    ({ object }) =>
      object.apiVersion === apiVersion &&
      object.kind === kind &&
      object.metadata.name === metadata.name &&
      object.metadata.namespace === metadata.namespace,
  );
  if (twin) {
    throw new TsopError(
      "kustomize-duplicate",
      `${path}: ${describeManifest(manifest)} is there twice.`,
      "Take one of them out of the kustomization.",
    );
  }
  manifests.push(manifest);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
