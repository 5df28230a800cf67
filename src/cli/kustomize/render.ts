/**
 * What a kustomization renders to: the part of kustomize that the scaffold's layout uses, as
 * `kubectl kustomize` does it. What is not known here is refused.
 *
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/
 * @module
 */
import { isJson } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { TsopError } from "../../errors.ts";
import type { Plan } from "../project/plan.ts";
import {
  parseYaml,
  readKustomization,
  readManifests,
  resolveIn,
  type ImageOverride,
  type Kustomization,
  type Patch,
} from "./kustomization.ts";
import { fixNameReferences, type NameReference } from "./name-references.ts";
import { readNameReferences } from "./transformer-configuration.ts";
import { applyPatch } from "./patches.ts";
import { applyReplacement } from "./replacements.ts";
import { describeManifest, manifestOf, orderOf, type Manifest } from "./resource.ts";
import { KustomizationRoot } from "./roots.ts";
import { SourceFiles } from "./source-files.ts";
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
  /** Files that are not written yet, and count as if they were. */
  readonly plan?: Plan;
}

/** What one rendering shares between its folders. */
interface Rendering {
  readonly files: SourceFiles;
  readonly references: NameReference[];
}

/** The objects of a kustomization, in the order in which they are applied. */
export async function renderKustomization(
  folder: string,
  options: RenderOptions = {},
): Promise<KubeObject[]> {
  const rendering: Rendering = { files: new SourceFiles(options.plan), references: [] };
  const manifests = await renderFolder(await KustomizationRoot.open(folder), rendering);
  for (const image of options.images ?? []) setImage(manifests, image);
  fixNameReferences(manifests, rendering.references);
  return manifests
    .map(({ object }) => object)
    .sort((one, other) => orderOf(one.kind) - orderOf(other.kind));
}

async function renderFolder(root: KustomizationRoot, rendering: Rendering): Promise<Manifest[]> {
  const kustomization = await readKustomization(root.folder, rendering.files);
  const manifests: Manifest[] = [];
  await gather(root, kustomization, manifests, rendering);
  return transform(root, kustomization, manifests, rendering);
}

/** Adds what `resources` names: files, and folders with a kustomization of their own. */
async function gather(
  root: KustomizationRoot,
  { resources }: Kustomization,
  manifests: Manifest[],
  rendering: Rendering,
): Promise<void> {
  const { files } = rendering;
  for (const entry of resources) {
    const path = resolveIn(root.folder, entry);
    const added = (await files.isFolder(path))
      ? await renderFolder(await root.enter(entry), rendering)
      : (await readManifests(await root.file(entry), files)).map(manifestOf);
    for (const manifest of added) addOnce(manifests, manifest, path);
  }
}

async function transform(
  root: KustomizationRoot,
  kustomization: Kustomization,
  own: Manifest[],
  rendering: Rendering,
): Promise<Manifest[]> {
  let manifests = own;
  for (const entry of kustomization.components) {
    manifests = await addComponent(await root.enter(entry), manifests, rendering);
  }
  for (const entry of kustomization.configurations) {
    const listed = await readNameReferences(await root.file(entry), rendering.files);
    rendering.references.push(...listed);
  }
  for (const patch of kustomization.patches) {
    manifests = await patchAll(root, patch, manifests, rendering.files);
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
  root: KustomizationRoot,
  gathered: readonly Manifest[],
  rendering: Rendering,
): Promise<Manifest[]> {
  const component = await readKustomization(root.folder, rendering.files);
  if (component.kind !== "Component") {
    throw new TsopError(
      "not-a-component",
      `${root.folder} is listed under \`components\`, but its kind is Kustomization.`,
      "List it under `resources`, or make it `kind: Component`.",
    );
  }
  const manifests = [...gathered];
  await gather(root, component, manifests, rendering);
  return transform(root, component, manifests, rendering);
}

async function patchAll(
  root: KustomizationRoot,
  patch: Patch,
  manifests: Manifest[],
  files: SourceFiles,
): Promise<Manifest[]> {
  const path = patch.path === undefined ? undefined : await root.file(patch.path);
  const where = path ?? `in ${root.folder}`;
  const text = path === undefined ? (patch.patch ?? "") : await files.read(path);
  if (text.startsWith("[") && !isJson(text)) {
    throw new TsopError(
      "kustomize-patch",
      `${where}: the patch begins with \`[\`, but is not JSON.`,
      "Quote its fields and texts, or write each operation on a line of its own, after `- `.",
    );
  }
  return applyPatch(manifests, patch, parseYaml(where, text), where);
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
