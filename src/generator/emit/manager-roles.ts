/**
 * The roles of the operator, and bindings of those that the scaffold does not bind: it binds one, that of the cluster or,
 * in a project of one namespace, that of the operator's.
 */
import type { JsonObject } from "../../kube/object.ts";
import { OPERATOR_NAMESPACE } from "../../kube/webhooks/webhook-marks.ts";
import type { GrantModel } from "../model.ts";
import { NAMESPACE_ANNOTATION } from "../stamp.ts";
import { type Role, type Rule, rolesOf } from "./rules.ts";

/** The role that the manager's binding refers to. */
const MANAGER_ROLE = "manager-role";
const ACCOUNT = "controller-manager";
const GROUP = "rbac.authorization.k8s.io";

/** The part of the project that the roles depend on. */
interface BoundProject {
  readonly projectName: string;
  readonly namespaced: boolean;
}

/** The objects of `role.yaml`; of a folder that is not a project, the roles alone. */
export function managerRoles(
  grants: readonly GrantModel[],
  project: BoundProject | undefined,
): JsonObject[] {
  const plain = rolesOf(grants, MANAGER_ROLE);
  if (!project) return plain.map((role) => roleOf(role, nameAndNamespace(role)));
  const roles = plain.map(ofOtherNamespace);
  const bound = project.namespaced ? OPERATOR_NAMESPACE : "";
  const isBound = ({ name, namespace }: Role): boolean =>
    name === MANAGER_ROLE && namespace === bound;
  // The scaffolded list names the file, and the binding names the role: an operator without rights has an empty one.
  const empty = roles.some(isBound) ? [] : [{ name: MANAGER_ROLE, namespace: bound, rules: [] }];
  const unbound = roles.filter(
    (role) => (role.name === MANAGER_ROLE && !isBound(role)) || isElsewhere(role),
  );
  return [
    ...[...empty, ...roles].map((role) => roleOf(role, metadataOf(role))),
    ...unbound.map((role) => bindingOf(role, project.projectName)),
  ];
}

/** Whether a role is one of a namespace that the author names. */
const isElsewhere = ({ namespace }: Pick<Role, "namespace">): boolean =>
  namespace !== "" && namespace !== OPERATOR_NAMESPACE;

/** kustomize moves all objects into one namespace before it moves these back, so that their names must differ. */
const ofOtherNamespace = (role: Role): Role =>
  isElsewhere(role) ? { ...role, name: `${role.name}-${role.namespace}` } : role;

const nameAndNamespace = ({ name, namespace }: Pick<Role, "name" | "namespace">): JsonObject => ({
  name,
  ...(namespace === "" ? {} : { namespace }),
});

/** The metadata in a project, whose `config/default` moves all objects but those with the annotation. */
const metadataOf = (named: Pick<Role, "name" | "namespace">): JsonObject => ({
  ...nameAndNamespace(named),
  ...(isElsewhere(named) ? { annotations: { [NAMESPACE_ANNOTATION]: named.namespace } } : {}),
});

const roleOf = ({ namespace, rules }: Role, metadata: JsonObject): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: namespace === "" ? "ClusterRole" : "Role",
  metadata,
  rules: rules.map(ruleOf),
});

function ruleOf({ groups, resources, resourceNames, urls, verbs }: Rule): JsonObject {
  const parts = { apiGroups: groups, nonResourceURLs: urls, resourceNames, resources, verbs };
  return Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0));
}

function bindingOf(role: Role, projectName: string): JsonObject {
  const { name, namespace } = role;
  const isOfCluster = namespace === "";
  const usual = isOfCluster ? "manager-cluster-rolebinding" : "manager-namespace-rolebinding";
  const labels = {
    "app.kubernetes.io/name": projectName,
    "app.kubernetes.io/managed-by": "kustomize",
  };
  return {
    apiVersion: `${GROUP}/v1`,
    kind: isOfCluster ? "ClusterRoleBinding" : "RoleBinding",
    metadata: {
      ...metadataOf({ name: isElsewhere(role) ? `${name}-binding` : usual, namespace }),
      labels,
    },
    roleRef: { apiGroup: GROUP, kind: isOfCluster ? "ClusterRole" : "Role", name },
    subjects: [{ kind: "ServiceAccount", name: ACCOUNT, namespace: OPERATOR_NAMESPACE }],
  };
}
