/** Defaults of RoleBindings and ClusterRoleBindings. */
import type { SentObject } from "../../../../kube/object.ts";

const RBAC = "rbac.authorization.k8s.io";

interface Binding extends SentObject {
  roleRef: { apiGroup?: string };
  subjects?: { kind: string; apiGroup?: string }[];
}

export function setBindingDefaults(object: Binding): void {
  const { roleRef, subjects = [] } = object;
  if (!roleRef.apiGroup) roleRef.apiGroup = RBAC;
  for (const subject of subjects) {
    if (!subject.apiGroup && (subject.kind === "User" || subject.kind === "Group")) {
      subject.apiGroup = RBAC;
    }
  }
}
