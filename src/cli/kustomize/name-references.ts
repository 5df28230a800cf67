/**
 * References by name follow when names and namespaces change.
 *
 * @module
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import { visitField } from "./field-path.ts";
import type { Manifest } from "./resource.ts";

/** A field in which objects of `from` name an object of `to`. */
export interface NameReference {
  readonly to: string;
  /** The referring kind; every kind when it is left out. */
  readonly from?: string;
  /** The API group of the referring kind; any when it is left out. */
  readonly group?: string;
  /** The path to the field that holds the name. */
  readonly path: readonly string[];
  /** The holder of the field has a `namespace` beside it that is part of the reference. */
  readonly namespaced?: boolean;
}

const POD_SPECS: readonly (readonly [kind: string, path: string])[] = [
  ["Pod", "spec"],
  ["Deployment", "spec/template/spec"],
  ["ReplicaSet", "spec/template/spec"],
  ["DaemonSet", "spec/template/spec"],
  ["StatefulSet", "spec/template/spec"],
  ["Job", "spec/template/spec"],
  ["CronJob", "spec/jobTemplate/spec/template/spec"],
];
const CONTAINERS = ["containers", "initContainers"];

const IN_POD_SPECS: readonly (readonly [to: string, path: string])[] = [
  ["ServiceAccount", "serviceAccountName"],
  ["PersistentVolumeClaim", "volumes/persistentVolumeClaim/claimName"],
  ["PriorityClass", "priorityClassName"],
  ["Secret", "imagePullSecrets/name"],
  ["Secret", "volumes/secret/secretName"],
  ["Secret", "volumes/projected/sources/secret/name"],
  ["ConfigMap", "volumes/configMap/name"],
  ["ConfigMap", "volumes/projected/sources/configMap/name"],
  ...CONTAINERS.flatMap(
    (containers) =>
      [
        ["Secret", `${containers}/env/valueFrom/secretKeyRef/name`],
        ["Secret", `${containers}/envFrom/secretRef/name`],
        ["ConfigMap", `${containers}/env/valueFrom/configMapKeyRef/name`],
        ["ConfigMap", `${containers}/envFrom/configMapRef/name`],
      ] as const,
  ),
];

/** The references that kustomize knows of itself, as far as operators' manifests have them. */
const BUILT_IN: readonly NameReference[] = [
  ...POD_SPECS.flatMap(([from, prefix]) =>
    IN_POD_SPECS.map(([to, path]) => ({
      to,
      from,
      path: [...prefix.split("/"), ...path.split("/")],
    })),
  ),
  ...["Role", "ClusterRole"].flatMap((to) =>
    ["RoleBinding", "ClusterRoleBinding"].map((from) => ({ to, from, path: ["roleRef", "name"] })),
  ),
  ...["RoleBinding", "ClusterRoleBinding"].map((from) => ({
    to: "ServiceAccount",
    from,
    path: ["subjects", "name"],
    namespaced: true,
  })),
  ...["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"].map((from) => ({
    to: "Service",
    from,
    path: ["webhooks", "clientConfig", "service", "name"],
    namespaced: true,
  })),
  { to: "Service", from: "APIService", path: ["spec", "service", "name"] },
  { to: "Service", from: "StatefulSet", path: ["spec", "serviceName"] },
  {
    to: "Service",
    from: "Ingress",
    path: ["spec", "rules", "http", "paths", "backend", "service", "name"],
  },
  { to: "Secret", from: "Ingress", path: ["spec", "tls", "secretName"] },
  { to: "Secret", from: "ServiceAccount", path: ["imagePullSecrets", "name"] },
  ...["Deployment", "StatefulSet", "ReplicaSet"].map((to) => ({
    to,
    from: "HorizontalPodAutoscaler",
    path: ["spec", "scaleTargetRef", "name"],
  })),
];

/** Lets every reference follow its object. */
export function fixNameReferences(
  manifests: readonly Manifest[],
  further: readonly NameReference[],
): void {
  for (const manifest of manifests) {
    for (const reference of [...BUILT_IN, ...further]) {
      if (reference.from !== undefined && reference.from !== manifest.object.kind) continue;
      const { group } = parseApiVersion(manifest.object.apiVersion);
      if (reference.group !== undefined && reference.group !== group) continue;
      visitField(manifest.object, reference.path, (holder, field) => {
        fixOne(manifest, reference, manifests, holder, field);
      });
    }
  }
}

function fixOne(
  referrer: Manifest,
  reference: NameReference,
  manifests: readonly Manifest[],
  holder: JsonObject,
  field: string,
): void {
  const name = holder[field];
  if (typeof name !== "string") return;
  // `roleRef`, `subjects` and `scaleTargetRef` say which kind they mean.
  const kind = holder["kind"];
  if (typeof kind === "string" && isJsonObject(holder) && kind !== reference.to) return;
  const named = manifests.filter(
    ({ object, originalName }) => object.kind === reference.to && originalName === name,
  );
  const target = reference.namespaced
    ? inNamespace(named, holder["namespace"])
    : (named.find(({ originalNamespace }) => originalNamespace === referrer.originalNamespace) ??
      (named.length === 1 ? named[0] : undefined));
  if (!target) return;
  holder[field] = target.object.metadata.name;
  if (reference.namespaced && target.object.metadata.namespace !== undefined) {
    holder["namespace"] = target.object.metadata.namespace;
  }
}

/** The object that a reference with a namespace means; one without means the only one of that name. */
function inNamespace(named: readonly Manifest[], namespace: unknown): Manifest | undefined {
  if (namespace === undefined) return named.length === 1 ? named[0] : undefined;
  return (
    named.find(({ originalNamespace }) => originalNamespace === namespace) ??
    named.find(({ object }) => object.metadata.namespace === namespace)
  );
}
