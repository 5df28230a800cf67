/**
 * The rights that an operator needs to issue the certificate of its webhooks itself: the generated
 * roles grant them, and the operator checks them when it starts.
 */
import type { WebhookMark } from "./webhook-marks.ts";

/** The Secret with the certificate and its authority, without a prefix of kustomize. */
export const CERTIFICATE_SECRET = "webhook-server-cert";

/** The Service in front of the webhooks, without a prefix of kustomize. */
export const WEBHOOK_SERVICE = "webhook-service";

/** For the Secret: `create` cannot be limited to a name, the others are. */
export const CERTIFICATE_SECRET_VERBS = ["get", "update"] as const;

/**
 * For the webhook configurations and the CRDs, each by its name: the authorities are written into
 * them.
 */
export const CA_BUNDLE_VERBS = ["get", "patch"] as const;

/** A rule of a Role or a ClusterRole. */
export interface CertificateRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The objects that the certificate is used with. */
export interface CertificateUse {
  /** The prefix that kustomize puts before the names of the project's objects, such as `shop-`. */
  readonly namePrefix: string;
  /** The webhook configurations, without the prefix. */
  readonly configurations: readonly Pick<WebhookMark, "mutating" | "configuration">[];
  /** The CRDs whose versions a webhook converts: `widgets.shop.example.com`. */
  readonly crds: readonly string[];
}

/** The rules of a self-managed certificate. Rules without a name are left out. */
export interface CertificateRights {
  /** For a Role in the operator's own namespace. */
  readonly role: readonly CertificateRule[];
  /** For a ClusterRole. */
  readonly clusterRole: readonly CertificateRule[];
}

/** The rights that the `self-managed` mode needs, and no other. */
export function certificateRights(use: CertificateUse): CertificateRights {
  const { namePrefix, configurations, crds } = use;
  const namesOf = (mutating: boolean): string[] =>
    configurations
      .filter((one) => one.mutating === mutating)
      .map(({ configuration }) => `${namePrefix}${configuration}`);
  const secrets = { apiGroups: [""], resources: ["secrets"] };
  return {
    role: [
      { ...secrets, verbs: ["create"] },
      {
        ...secrets,
        resourceNames: [`${namePrefix}${CERTIFICATE_SECRET}`],
        verbs: CERTIFICATE_SECRET_VERBS,
      },
    ],
    clusterRole: [
      ...bundleRule("admissionregistration.k8s.io", "mutatingwebhookconfigurations", namesOf(true)),
      ...bundleRule(
        "admissionregistration.k8s.io",
        "validatingwebhookconfigurations",
        namesOf(false),
      ),
      ...bundleRule("apiextensions.k8s.io", "customresourcedefinitions", crds),
    ],
  };
}

function bundleRule(group: string, resource: string, names: readonly string[]): CertificateRule[] {
  if (names.length === 0) return [];
  const resourceNames = [...new Set(names)].sort();
  return [{ apiGroups: [group], resources: [resource], resourceNames, verbs: CA_BUNDLE_VERBS }];
}
