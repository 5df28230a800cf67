/**
 * The files of a project: CRDs, the manager's role, webhook configurations, and the kustomizations that list them.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import { toYaml } from "../../kube/yaml.ts";
import type { GrantModel, WebhookModel } from "../model.ts";
import { GENERATED_HEADER as HEADER, USER_ROLES } from "../stamp.ts";
import { type VersionedKind, crdOf, crdPath } from "./crd.ts";
import { type Rule, rolesOf } from "./rules.ts";
import { userRolesOf } from "./user-roles.ts";
import { webhookConfigurations } from "./webhooks.ts";

/** The role that the manager's binding refers to. */
const MANAGER_ROLE = "manager-role";

/** All generated files, by their path in the project. */
export function manifestsOf(
  grants: readonly GrantModel[],
  kinds: readonly VersionedKind[],
  webhooks: readonly WebhookModel[],
): Map<string, string> {
  const files = new Map<string, string>();
  for (const kind of kinds) files.set(crdPath(kind), HEADER + document(crdOf(kind)));
  if (kinds.length > 0) {
    const resources = kinds.map((kind) => crdPath(kind).replace("config/crd/", ""));
    files.set("config/crd/kustomization.yaml", kustomization(resources));
  }
  if (webhooks.length > 0) {
    const configurations = webhookConfigurations(webhooks).map(document);
    files.set("config/webhook/manifests.yaml", HEADER + configurations.join(""));
    files.set("config/webhook/kustomization.yaml", kustomization(["manifests.yaml"]));
  }
  const userRoles = userRolesOf(kinds);
  if (userRoles.length > 0) files.set(USER_ROLES, HEADER + userRoles.map(document).join(""));
  const roles = rolesOf(grants, MANAGER_ROLE).map(({ name, namespace, rules }) =>
    document({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: namespace === "" ? "ClusterRole" : "Role",
      metadata: { name, ...(namespace === "" ? {} : { namespace }) },
      rules: rules.map(ruleOf),
    }),
  );
  if (roles.length > 0) files.set("config/rbac/role.yaml", HEADER + roles.join(""));
  return files;
}

const document = (value: object): string => `---\n${toYaml(value)}`;

function kustomization(resources: readonly string[]): string {
  const apiVersion = "kustomize.config.k8s.io/v1beta1";
  return HEADER + document({ apiVersion, kind: "Kustomization", resources });
}

function ruleOf({ groups, resources, resourceNames, urls, verbs }: Rule): JsonObject {
  const parts = { apiGroups: groups, nonResourceURLs: urls, resourceNames, resources, verbs };
  return Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0));
}
