/**
 * The roles that webhooks need. Those of an operator that issues the certificate of its webhooks itself have a file and
 * bindings of their own: another mode of certificates needs none of these rights, and none of them is then left. So do
 * those of conversions.
 */
import {
  type CertificateRights,
  certificateRights,
  type CertificateRule,
} from "../../kube/webhooks/certificate-rights.ts";
import { conversionRights } from "../../kube/webhooks/conversion-rights.ts";
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

const ACCOUNT = "controller-manager";

/** The roles and their bindings; nothing where nothing is answered, or where another issues the certificate. */
export function certificateRolesOf({ kinds, webhooks, project }: CertificateParts): JsonObject[] {
  const { projectName, certificates = "self-managed" } = project;
  const answered = webhooks.filter(({ entry }) => entry.clientConfig.service !== undefined);
  const crds = convertedCrds(kinds);
  if (certificates !== "self-managed" || answered.length + crds.length === 0) return [];
  const { role, clusterRole } = certificateRights({
    // Kustomize changes the names of objects, and not those in the rules of a role.
    namePrefix: `${projectName}-`,
    configurations: answered,
    crds,
  });
  return boundRoles("webhook-certificate", { role, clusterRole }, projectName);
}

/** The roles of conversions and their bindings; nothing where nothing is converted. */
export function conversionRolesOf({
  kinds,
  project,
}: Pick<CertificateParts, "kinds" | "project">): JsonObject[] {
  const crds = convertedCrds(kinds);
  if (crds.length === 0) return [];
  return boundRoles("webhook-conversion", conversionRights(crds), project.projectName);
}

const convertedCrds = (kinds: readonly VersionedKind[]): string[] =>
  kinds
    .filter(({ converters }) => converters.length > 0)
    .map(({ plural, group }) => `${plural}.${group}`);

const boundRoles = (
  name: string,
  { role, clusterRole }: CertificateRights,
  projectName: string,
): JsonObject[] => [
  ...boundRole("Role", { name, rules: role }, projectName),
  ...boundRole("ClusterRole", { name, rules: clusterRole }, projectName),
];

function boundRole(
  kind: "Role" | "ClusterRole",
  { name, rules }: { readonly name: string; readonly rules: readonly CertificateRule[] },
  projectName: string,
): JsonObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const labels = {
    "app.kubernetes.io/name": projectName,
    "app.kubernetes.io/managed-by": "kustomize",
  };
  const role = `${name}-role`;
  const metadata = (own: string): JsonObject => ({
    name: own,
    ...(kind === "Role" ? { namespace: OPERATOR_NAMESPACE } : {}),
    labels,
  });
  return [
    { apiVersion, kind, metadata: metadata(role), rules: rules.map(ruleOf) },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: metadata(`${role}binding`),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: role },
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
