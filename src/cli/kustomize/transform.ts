/**
 * The transformers of a kustomization that need no other object: namespace, names, labels,
 * annotations, images, replicas.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import { visitField } from "./field-path.ts";
import type { ImageOverride, Kustomization, LabelSet } from "./kustomization.ts";
import { isClusterScoped, type Manifest } from "./resource.ts";

const NAME_STAYS = new Set(["CustomResourceDefinition", "APIService", "Namespace"]);
const WORKLOADS = new Set(["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job"]);
const WITH_REPLICAS = new Set(["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"]);

/** Fields beside `metadata.namespace` that kustomize puts into the namespace, whatever Service they name. */
const SERVICE_NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  APIService: ["spec", "service", "namespace"],
  CustomResourceDefinition: "spec/conversion/webhook/clientConfig/service/namespace".split("/"),
};

/** Puts everything into the namespace; a Namespace object takes its name. */
export function setNamespace(manifests: readonly Manifest[], namespace: string): void {
  for (const { object } of manifests) {
    if (object.kind === "Namespace") object.metadata.name = namespace;
    else if (!isClusterScoped(object.kind)) object.metadata.namespace = namespace;
    visitField(object, SERVICE_NAMESPACES[object.kind] ?? [], (service, field) => {
      if (service[field] !== undefined) service[field] = namespace;
    });
    if (object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding") {
      visitField(object, ["subjects", "name"], (subject) => {
        if (subject["kind"] === "ServiceAccount" && subject["name"] === "default") {
          subject["namespace"] = namespace;
        }
      });
    }
  }
}

/** Adds prefix and suffix to the names that are not fixed by what they name. */
export function setNames(manifests: readonly Manifest[], prefix: string, suffix: string): void {
  for (const { object } of manifests) {
    if (NAME_STAYS.has(object.kind)) continue;
    object.metadata.name = `${prefix}${object.metadata.name ?? ""}${suffix}`;
  }
}

/** Adds labels, and to selectors and pod templates where asked. */
export function addLabels(manifests: readonly Manifest[], labels: LabelSet): void {
  const add = (object: JsonObject, path: string[], create: boolean): void => {
    visitField(
      object,
      [...path, "labels"],
      (holder) => {
        const last = path.at(-1) === "matchLabels" || path.at(-1) === "selector";
        const target = last ? holder : ((holder["labels"] ??= {}) as JsonObject);
        Object.assign(target, labels.pairs);
      },
      create,
    );
  };
  for (const { object } of manifests) {
    add(object, ["metadata"], true);
    if (labels.includeTemplates || labels.includeSelectors) {
      if (WORKLOADS.has(object.kind)) add(object, ["spec", "template", "metadata"], true);
      if (object.kind === "CronJob") {
        add(object, ["spec", "jobTemplate", "spec", "template", "metadata"], true);
      }
    }
    if (!labels.includeSelectors) continue;
    if (WORKLOADS.has(object.kind) && object.kind !== "Job") {
      add(object, ["spec", "selector", "matchLabels"], true);
    }
    if (object.kind === "Service") add(object, ["spec", "selector"], true);
    if (object.kind === "NetworkPolicy") add(object, ["spec", "podSelector", "matchLabels"], false);
    if (object.kind === "PodDisruptionBudget") {
      add(object, ["spec", "selector", "matchLabels"], false);
    }
  }
}

/** Adds annotations to objects and pod templates. */
export function addAnnotations(
  manifests: readonly Manifest[],
  annotations: Readonly<Record<string, string>>,
): void {
  for (const { object } of manifests) {
    object.metadata.annotations = { ...object.metadata.annotations, ...annotations };
    if (!WORKLOADS.has(object.kind)) continue;
    visitField(
      object,
      ["spec", "template", "metadata", "annotations"],
      (holder, field) => {
        holder[field] = { ...(holder[field] as object | undefined), ...annotations };
      },
      true,
    );
  }
}

/** Replaces images by name, in every list of containers. */
export function setImage(manifests: readonly Manifest[], override: ImageOverride): void {
  const replace = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(replace);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    for (const [field, value] of Object.entries(node)) {
      if (/^(c|initC|ephemeralC)ontainers$/.test(field)) {
        visitField(value, ["image"], (container) => {
          const { image } = container;
          if (typeof image === "string") container["image"] = overridden(image, override);
        });
      }
      replace(value);
    }
  };
  for (const { object } of manifests)
    if (object.kind !== "CustomResourceDefinition") replace(object);
}

/** The image under its new name, tag or digest; the same image when it has another name. */
function overridden(image: string, override: ImageOverride): string {
  const { name, tag, digest } = splitImage(image);
  if (name !== override.name) return image;
  const newName = override.newName ?? name;
  if (override.digest !== undefined) return `${newName}@${override.digest}`;
  if (override.newTag !== undefined) return `${newName}:${override.newTag}`;
  return `${newName}${tag === "" ? "" : `:${tag}`}${digest === "" ? "" : `@${digest}`}`;
}

/** Takes `registry:5000/path/name:tag@digest` apart. */
export function splitImage(image: string): { name: string; tag: string; digest: string } {
  const [rest = "", digest = ""] = image.split("@");
  const colon = rest.indexOf(":", rest.lastIndexOf("/") + 1);
  return colon < 0
    ? { name: rest, tag: "", digest }
    : { name: rest.slice(0, colon), tag: rest.slice(colon + 1), digest };
}

/** Sets the replicas of the workloads with that name. */
export function setReplicas(
  manifests: readonly Manifest[],
  { name, count }: Kustomization["replicas"][number],
): void {
  for (const { object, originalName } of manifests) {
    if (!WITH_REPLICAS.has(object.kind) || originalName !== name) continue;
    object["spec"] = { ...(object["spec"] as object | undefined), replicas: count };
  }
}
