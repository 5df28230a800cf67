/**
 * The roles of the operator, and bindings of those that the scaffold does not bind: it binds one, that of the cluster or,
 * in a project of one namespace, that of the operator's.
 */
import type { JsonObject } from "../../kube/object.ts";
import { OPERATOR_NAMESPACE } from "../../kube/webhooks/webhook-marks.ts";
import type { GrantModel } from "../model.ts";
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
  const roles = rolesOf(grants, MANAGER_ROLE);
  if (!project) return roles.map(roleOf);
  const bound = project.namespaced ? OPERATOR_NAMESPACE : "";
  const isBound = ({ name, namespace }: Role): boolean =>
    name === MANAGER_ROLE && namespace === bound;
  // The scaffolded list names the file, and the binding names the role: an operator without rights has an empty one.
  const empty = roles.some(isBound) ? [] : [{ name: MANAGER_ROLE, namespace: bound, rules: [] }];
  const unbound = roles.filter(
    (role) =>
      role.name === MANAGER_ROLE &&
      !isBound(role) &&
      (role.namespace === "" || role.namespace === OPERATOR_NAMESPACE),
  );
  return [
    ...[...empty, ...roles].map(roleOf),
    ...unbound.map((role) => bindingOf(role, project.projectName)),
  ];
}

function roleOf({ name, namespace, rules }: Role): JsonObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: namespace === "" ? "ClusterRole" : "Role",
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    rules: rules.map(ruleOf),
  };
}

function ruleOf({ groups, resources, resourceNames, urls, verbs }: Rule): JsonObject {
  const parts = { apiGroups: groups, nonResourceURLs: urls, resourceNames, resources, verbs };
  return Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0));
}

function bindingOf({ name, namespace }: Role, projectName: string): JsonObject {
  const isOfCluster = namespace === "";
  const labels = {
    "app.kubernetes.io/name": projectName,
    "app.kubernetes.io/managed-by": "kustomize",
  };
  return {
    apiVersion: `${GROUP}/v1`,
    kind: isOfCluster ? "ClusterRoleBinding" : "RoleBinding",
    metadata: {
      name: isOfCluster ? "manager-cluster-rolebinding" : "manager-namespace-rolebinding",
      ...(isOfCluster ? {} : { namespace }),
      labels,
    },
    roleRef: { apiGroup: GROUP, kind: isOfCluster ? "ClusterRole" : "Role", name },
    subjects: [{ kind: "ServiceAccount", name: ACCOUNT, namespace: OPERATOR_NAMESPACE }],
  };
}
