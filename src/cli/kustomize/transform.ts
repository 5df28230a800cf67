/**
 * The transformers of a kustomization that need no other object: namespace, names, labels,
 * annotations, images, replicas.
 */
import { TsopError } from "../../errors.ts";
import { isJsonObject, setField } from "../../kube/json.ts";
import { splitImage } from "../../kube/text/image-name.ts";
import { compilePattern } from "../../kube/cel/patterns.ts";
import { CelError } from "../../kube/cel/values.ts";
import {
  type FieldSlot,
  type FieldSpec,
  fieldSlot,
  mergeFieldSpecs,
  visitField,
} from "./field-specs.ts";
import type { ImageOverride, Kustomization, LabelSet } from "./kustomization.ts";
import {
  describeManifest,
  isOfKind,
  isOutsideNamespaces,
  isSameId,
  type Manifest,
  scalarText,
} from "./resource.ts";
import type { TransformerConfiguration } from "./transformer-configuration.ts";

/** Puts everything into the namespace; a Namespace object takes its name. */
export function setNamespace(
  manifests: readonly Manifest[],
  namespace: string,
  specs: readonly FieldSpec[],
): void {
  const set = (slot: FieldSlot): void => slot.set(namespace);
  for (const manifest of manifests) {
    const { object } = manifest;
    manifest.rememberName();
    if (!isOutsideNamespaces(manifest.id)) object.metadata.namespace = namespace;
    const isBinding = object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding";
    if (isBinding) setDefaultSubjects(object["subjects"], namespace);
    for (const spec of specs) {
      if (spec.path === "metadata/namespace") continue;
      if (spec.path === "metadata/name" && object.apiVersion !== "v1") continue;
      if (isBinding && spec.path === "subjects/namespace") continue;
      visitField(manifest, spec, set, "scalar");
    }
    const { id } = manifest;
    if (manifests.filter((other) => isSameId(other.id, id)).length === 1) continue;
    throw new TsopError(
      "kustomize-duplicate",
      `${describeManifest(manifest)} is there twice in the namespace ${namespace}.`,
      "Remove one of them from the kustomization, or give them different names.",
    );
  }
}

/** A subject that is called `default` means the account of the namespace. */
function setDefaultSubjects(subjects: unknown, namespace: string): void {
  if (!Array.isArray(subjects)) return;
  for (const subject of subjects as unknown[]) {
    if (isJsonObject(subject) && subject["name"] === "default") subject["namespace"] = namespace;
  }
}

const FIXED_NAMES = [
  { kind: "CustomResourceDefinition" },
  { kind: "APIService", group: "apiregistration.k8s.io" },
  { kind: "Namespace" },
];

/** Adds a prefix or suffix to the names, except for kinds whose name is fixed. */
export function setNames(
  manifests: readonly Manifest[],
  { prefix = "", suffix = "" }: { readonly prefix?: string; readonly suffix?: string },
  specs: readonly FieldSpec[],
): void {
  for (const manifest of manifests) {
    const { originalId } = manifest;
    if (FIXED_NAMES.some((selector) => isOfKind(originalId, selector))) continue;
    for (const spec of specs) {
      if (!isOfKind(originalId, spec)) continue;
      if (spec.path === "metadata/name") {
        if (prefix !== "") manifest.prefixes.push(prefix);
        if (suffix !== "") manifest.suffixes.push(suffix);
        manifest.rememberName();
      }
      visitField(
        manifest,
        spec,
        (slot) => slot.set(`${prefix}${scalarText(slot.value)}${suffix}`),
        "scalar",
      );
    }
  }
}

/** Adds labels, and to selectors and pod templates where asked. */
export function addLabels(
  manifests: readonly Manifest[],
  labels: LabelSet,
  configuration: TransformerConfiguration,
): void {
  let specs = mergeFieldSpecs(labels.fields, configuration.labels);
  if (labels.includeSelectors) {
    specs = mergeFieldSpecs(specs, configuration.commonLabels);
  } else {
    if (labels.includeTemplates) specs = mergeFieldSpecs(specs, configuration.templateLabels);
    specs = mergeFieldSpecs(specs, [{ path: "metadata/labels", create: true }]);
  }
  addPairs(manifests, labels.pairs, specs);
}

/** Adds pairs of texts to every mapping that the fields lead to. */
export function addPairs(
  manifests: readonly Manifest[],
  pairs: Readonly<Record<string, string>>,
  specs: readonly FieldSpec[],
): void {
  if (Object.keys(pairs).length === 0) return;
  for (const manifest of manifests) {
    for (const spec of specs) {
      visitField(
        manifest,
        spec,
        (slot) => {
          const holder = slot.value;
          if (holder === null || holder === undefined) return;
          if (!isJsonObject(holder)) {
            throw new TsopError(
              "kustomize-path",
              `${describeManifest(manifest)}: ${spec.path} is not a mapping, so it cannot hold labels or annotations.`,
              "Compare the path with the manifest. The path might come from a `configurations` file of the kustomization.",
            );
          }
          for (const [key, value] of Object.entries(pairs)) setField(holder, key, value);
        },
        "mapping",
      );
    }
  }
}

/** Replaces images by name: in every list of containers, and in the fields that are configured. */
export function setImage(
  manifests: readonly Manifest[],
  override: ImageOverride,
  specs: readonly FieldSpec[],
): void {
  const replace = (slot: FieldSlot): void => {
    if (typeof slot.value === "string") slot.set(overridden(slot.value, override));
  };
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    if (!isJsonObject(node)) return;
    for (const [field, value] of Object.entries(node)) {
      walk(value);
      if ((field !== "containers" && field !== "initContainers") || !Array.isArray(value)) continue;
      for (const container of value as unknown[]) {
        if (isJsonObject(container)) replace(fieldSlot(container, "image"));
      }
    }
  };
  for (const manifest of manifests) {
    if (manifest.object.kind !== "CustomResourceDefinition") walk(manifest.object);
    for (const spec of specs) visitField(manifest, spec, replace);
  }
}

/** The image under its new name, tag or digest; the same image when it has another name. */
function overridden(image: string, override: ImageOverride): string {
  const pattern = compilePattern(
    `^${override.name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`,
  );
  if (pattern instanceof CelError || !pattern.matcher(image).find()) return image;
  let { name, tag, digest } = splitImage(image);
  const { newName = "", newTag = "", digest: newDigest = "", tagSuffix = "" } = override;
  if (newName !== "") name = newName;
  if (newTag !== "" || newDigest !== "") [tag, digest] = [newTag, newDigest];
  else if (tagSuffix !== "") [tag, digest] = [`${tag}${tagSuffix}`, ""];
  return `${name}${tag === "" ? "" : `:${tag}`}${digest === "" ? "" : `@${digest}`}`;
}

/** Sets the replicas of the workloads with that name. @throws TsopError `kustomize-replicas` */
export function setReplicas(
  manifests: readonly Manifest[],
  { name, count, at }: Kustomization["replicas"][number],
  specs: readonly FieldSpec[],
): void {
  const found = specs.flatMap((spec) =>
    manifests.filter((manifest) => {
      const isIt = manifest.ids.some((id) => id.name === name && isOfKind(id, spec));
      if (isIt) visitField(manifest, spec, (slot) => slot.set(count), "scalar");
      return isIt;
    }),
  );
  if (found.length > 0) return;
  const kinds = specs.map(({ kind }) => kind).join(", ");
  throw new TsopError(
    "kustomize-replicas",
    `${at}: there is no ${name} of the kinds ${kinds}.`,
    "Compare the name with the manifests; it is that of the file, or the present one.",
  );
}
