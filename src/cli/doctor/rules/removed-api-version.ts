/**
 * API versions that Kubernetes, or cert-manager, does not serve any more.
 *
 * @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
import type { Rule } from "../rule.ts";
import { tableOf } from "../../../table.ts";

/**
 * The successor of a removed version, and the release since which it is not served; by `apiVersion`
 * and, where it matters, kind.
 */
const REMOVED = tableOf<readonly [now: string, since: string]>({
  "apiextensions.k8s.io/v1beta1": ["apiextensions.k8s.io/v1", "1.22"],
  "admissionregistration.k8s.io/v1beta1": ["admissionregistration.k8s.io/v1", "1.22"],
  "apiregistration.k8s.io/v1beta1": ["apiregistration.k8s.io/v1", "1.22"],
  "rbac.authorization.k8s.io/v1alpha1": ["rbac.authorization.k8s.io/v1", "1.22"],
  "rbac.authorization.k8s.io/v1beta1": ["rbac.authorization.k8s.io/v1", "1.22"],
  "certificates.k8s.io/v1beta1": ["certificates.k8s.io/v1", "1.22"],
  "coordination.k8s.io/v1beta1": ["coordination.k8s.io/v1", "1.22"],
  "scheduling.k8s.io/v1beta1": ["scheduling.k8s.io/v1", "1.22"],
  "networking.k8s.io/v1beta1 Ingress": ["networking.k8s.io/v1", "1.22"],
  "extensions/v1beta1": ["apps/v1 or networking.k8s.io/v1", "1.22"],
  "apps/v1beta1": ["apps/v1", "1.16"],
  "apps/v1beta2": ["apps/v1", "1.16"],
  "batch/v1beta1": ["batch/v1", "1.25"],
  "discovery.k8s.io/v1beta1": ["discovery.k8s.io/v1", "1.25"],
  "events.k8s.io/v1beta1": ["events.k8s.io/v1", "1.25"],
  "node.k8s.io/v1beta1": ["node.k8s.io/v1", "1.25"],
  "policy/v1beta1 PodDisruptionBudget": ["policy/v1", "1.25"],
  "policy/v1beta1 PodSecurityPolicy": ["pod security admission (labels of the Namespace)", "1.25"],
  "autoscaling/v2beta1": ["autoscaling/v2", "1.25"],
  "autoscaling/v2beta2": ["autoscaling/v2", "1.26"],
  "storage.k8s.io/v1beta1 CSIStorageCapacity": ["storage.k8s.io/v1", "1.27"],
  "flowcontrol.apiserver.k8s.io/v1beta1": ["flowcontrol.apiserver.k8s.io/v1", "1.26"],
  "flowcontrol.apiserver.k8s.io/v1beta2": ["flowcontrol.apiserver.k8s.io/v1", "1.29"],
  "flowcontrol.apiserver.k8s.io/v1beta3": ["flowcontrol.apiserver.k8s.io/v1", "1.32"],
  "certmanager.k8s.io/v1alpha1": ["cert-manager.io/v1", "cert-manager 0.11"],
  "cert-manager.io/v1alpha2": ["cert-manager.io/v1", "cert-manager 1.6"],
  "cert-manager.io/v1alpha3": ["cert-manager.io/v1", "cert-manager 1.6"],
  "cert-manager.io/v1beta1": ["cert-manager.io/v1", "cert-manager 1.6"],
});

export const removedApiVersion: Rule = {
  name: "removed-api-version",
  about:
    "An object has an API version that is no longer served, so applying it fails with `no matches for kind`.",
  example: "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition",
  *find({ manifests }) {
    for (const { apiVersion, kind, at } of manifests) {
      const removed = REMOVED.get(`${apiVersion} ${kind}`) ?? REMOVED.get(apiVersion);
      if (!removed) continue;
      const [now, since] = removed;
      const by = /^\d/.test(since) ? `Kubernetes ${since}` : since;
      yield {
        place: at(["apiVersion"]),
        message: `${kind} in ${apiVersion} is not served since ${by}.`,
        fix:
          kind === "CustomResourceDefinition"
            ? `Use ${now}; \`tsop import\` reads the old version and generates classes from it.`
            : `Use ${now}.`,
      };
    }
  },
};
