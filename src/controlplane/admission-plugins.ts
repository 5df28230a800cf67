/**
 * The admission plugins of a real API server, by their names, and which of them are on.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import { UsageError } from "../errors.ts";

/**
 * Every plugin of kube-apiserver 1.37, also those that the control plane does not have: their names
 * are valid, too.
 */
const ADMISSION_PLUGINS = [
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NamespaceLifecycle",
  "NodeDeclaredFeatureValidator",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeClaimResize",
  "PodGroupProtection",
  "PodNodeSelector",
  "PodResizeValidator",
  "PodSecurity",
  "PodTolerationRestriction",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
] as const;

/** The name of an admission plugin, as the flags of kube-apiserver write it. */
export type AdmissionPlugin = (typeof ADMISSION_PLUGINS)[number];

/** The plugins of these names. @throws UsageError `unknown-admission-plugin`, in the words of kube-apiserver */
export function admissionPlugins(names: readonly string[]): readonly AdmissionPlugin[] {
  const known = names.filter(isAdmissionPlugin);
  const unknown = names.filter((name) => !isAdmissionPlugin(name));
  if (unknown.length === 0) return known;
  const told = unknown.map(
    (name) => `disable-admission-plugins plugin ${JSON.stringify(name)} is unknown`,
  );
  throw new UsageError(
    "unknown-admission-plugin",
    `${told.length > 1 ? `[${told.join(", ")}]` : told.join("")}.`,
    `The plugins are ${ADMISSION_PLUGINS.join(", ")}.`,
  );
}

const isAdmissionPlugin = (name: string): name is AdmissionPlugin =>
  ADMISSION_PLUGINS.some((known) => known === name);

export class AdmissionPlugins {
  readonly #disabled: ReadonlySet<string>;

  /** @throws UsageError `unknown-admission-plugin`, since programs without types name plugins, too */
  constructor(disabled: readonly AdmissionPlugin[] = []) {
    this.#disabled = new Set(admissionPlugins(disabled));
  }

  /** The names of the disabled plugins. */
  get disabled(): readonly string[] {
    return [...this.#disabled];
  }

  isOn(name: AdmissionPlugin): boolean {
    return !this.#disabled.has(name);
  }
}
