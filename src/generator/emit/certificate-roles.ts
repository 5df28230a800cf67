/**
 * The roles of an operator that issues the certificate of its webhooks itself. They have a file and bindings of their
 * own: another mode of certificates needs none of these rights, and none of them is then left.
 */
import { type CertificateRule, certificateRights } from "../../kube/webhooks/certificate-rights.ts";
import type { JsonObject } from "../../kube/object.ts";
import { OPERATOR_NAMESPACE } from "../../kube/webhooks/webhook-marks.ts";
import type { WebhookModel } from "../model.ts";
import type { VersionedKind } from "./crd.ts";

/** The source of the webhook server's certificate. */
export type CertificateMode = "self-managed" | "cert-manager" | "secret";

/** The parts of a project that certificates depend on. */
interface CertificateParts {
  readonly kinds: readonly VersionedKind[];
  readonly webhooks: readonly WebhookModel[];
  readonly project: { readonly projectName: string; readonly certificates?: CertificateMode };
}

const ROLE = "webhook-certificate-role";
const BINDING = "webhook-certificate-rolebinding";
const ACCOUNT = "controller-manager";

/** The roles and their bindings; nothing where nothing is answered, or where another issues the certificate. */
export function certificateRolesOf({ kinds, webhooks, project }: CertificateParts): JsonObject[] {
  const { projectName, certificates = "self-managed" } = project;
  const answered = webhooks.filter(({ entry }) => entry.clientConfig.service !== undefined);
  const converted = kinds.filter(({ converters }) => converters.length > 0);
  if (certificates !== "self-managed" || answered.length + converted.length === 0) return [];
  const { role, clusterRole } = certificateRights({
    // Kustomize changes the names of objects, and not those in the rules of a role.
    namePrefix: `${projectName}-`,
    configurations: answered,
    crds: converted.map(({ plural, group }) => `${plural}.${group}`),
  });
  return [
    ...boundRole("Role", role, projectName),
    ...boundRole("ClusterRole", clusterRole, projectName),
  ];
}

function boundRole(
  kind: "Role" | "ClusterRole",
  rules: readonly CertificateRule[],
  projectName: string,
): JsonObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const labels = {
    "app.kubernetes.io/name": projectName,
    "app.kubernetes.io/managed-by": "kustomize",
  };
  const metadata = (name: string): JsonObject => ({
    name,
    ...(kind === "Role" ? { namespace: OPERATOR_NAMESPACE } : {}),
    labels,
  });
  return [
    { apiVersion, kind, metadata: metadata(ROLE), rules: rules.map(ruleOf) },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: metadata(BINDING),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: ROLE },
      subjects: [{ kind: "ServiceAccount", name: ACCOUNT, namespace: OPERATOR_NAMESPACE }],
    },
  ];
}

const ruleOf = ({ apiGroups, resources, resourceNames, verbs }: CertificateRule): JsonObject => ({
  apiGroups: [...apiGroups],
  ...(resourceNames ? { resourceNames: [...resourceNames] } : {}),
  resources: [...resources],
  verbs: [...verbs],
});
