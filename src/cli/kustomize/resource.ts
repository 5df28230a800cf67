/**
 * A manifest on its way through the kustomizations: the object, and what it was called before.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";

/** A manifest that transformers change in place. */
export interface Manifest {
  readonly object: KubeObject & Record<string, unknown>;
  /** The name and namespace as the file says: what other files refer to. */
  readonly originalName: string;
  readonly originalNamespace: string | undefined;
}

/** Kinds that have no namespace; everything else, own kinds too, is put into the namespace. */
const CLUSTER_SCOPED = new Set(
  (
    "APIService CSIDriver CSINode CertificateSigningRequest ClusterIssuer ClusterRole ClusterRoleBinding " +
    "ClusterTrustBundle CustomResourceDefinition FlowSchema IPAddress IngressClass " +
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration Namespace Node " +
    "PersistentVolume PriorityClass PriorityLevelConfiguration RuntimeClass ServiceCIDR StorageClass " +
    "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration " +
    "VolumeAttachment VolumeAttributesClass"
  ).split(" "),
);

/** Whether objects of the kind have no namespace. */
export function isClusterScoped(kind: string): boolean {
  return CLUSTER_SCOPED.has(kind);
}

/** Wraps an object as it was read. */
export function manifestOf(object: KubeObject): Manifest {
  return {
    object: object as Manifest["object"],
    originalName: object.metadata.name ?? "",
    originalNamespace: object.metadata.namespace,
  };
}

/** `Kind.group/name`, for messages. */
export function describeManifest({ object }: Manifest): string {
  const { group } = parseApiVersion(object.apiVersion);
  return `${object.kind}${group === "" ? "" : `.${group}`} ${object.metadata.name ?? "?"}`;
}

/** Kustomize's order of kinds: what others need comes first, what intercepts requests last. */
const FIRST = (
  "Namespace ResourceQuota StorageClass CustomResourceDefinition ServiceAccount PodSecurityPolicy Role " +
  "ClusterRole RoleBinding ClusterRoleBinding ConfigMap Secret Endpoints Service LimitRange " +
  "PriorityClass PersistentVolume PersistentVolumeClaim Deployment StatefulSet CronJob " +
  "PodDisruptionBudget"
).split(" ");
const LAST = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** Where a kind stands in the order of applying; the reverse is the order of removal. */
export function orderOf(kind: string): number {
  const first = FIRST.indexOf(kind);
  if (first >= 0) return first - FIRST.length;
  return LAST.indexOf(kind) + 1;
}
