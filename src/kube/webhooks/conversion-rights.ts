/**
 * What an operator with converters reads and writes in the cluster beside its kinds: the generated roles grant it, and
 * the operator checks it when it starts.
 */
import type { CertificateRights } from "./certificate-rights.ts";

/** The Secret with the key that signs what is kept in annotations of a kind, by the name of its CRD. */
export const conversionKeySecret = (crd: string): string => `conversion-key.${crd}`;

/** For the Secret, beside `create`, which cannot be limited to a name. */
export const CONVERSION_KEY_VERBS = ["get"] as const;

/** For the CRD: its schemas and stored versions are read, and the path of its conversions is written. */
export const CONVERTED_CRD_VERBS = ["get", "patch"] as const;

/** The rights that converters need, and no other. @param crds - `widgets.shop.example.com` */
export function conversionRights(crds: readonly string[]): CertificateRights {
  if (crds.length === 0) return { role: [], clusterRole: [] };
  const names = [...new Set(crds)].sort();
  const secrets = { apiGroups: [""], resources: ["secrets"] };
  return {
    role: [
      { ...secrets, verbs: ["create"] },
      { ...secrets, resourceNames: names.map(conversionKeySecret), verbs: CONVERSION_KEY_VERBS },
    ],
    clusterRole: [
      {
        apiGroups: ["apiextensions.k8s.io"],
        resources: ["customresourcedefinitions"],
        resourceNames: names,
        verbs: CONVERTED_CRD_VERBS,
      },
    ],
  };
}
