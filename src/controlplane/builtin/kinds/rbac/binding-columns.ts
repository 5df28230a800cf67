/** RoleBindings and ClusterRoleBindings as a table. */
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { WIDE, ageColumn, column, nameColumn, printer } from "../../tables/column.ts";

const subjects = (kind: string) => (binding: SentObject) =>
  listAt(binding, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) =>
      kind === "ServiceAccount"
        ? `${textAt(subject, "namespace")}/${textAt(subject, "name")}`
        : textAt(subject, "name"),
    )
    .join(", ");

export const roleBinding = printer([
  nameColumn,
  column("Role", (object) => `${textAt(object, "roleRef.kind")}/${textAt(object, "roleRef.name")}`),
  ageColumn,
  column("Users", subjects("User"), WIDE),
  column("Groups", subjects("Group"), WIDE),
  column("ServiceAccounts", subjects("ServiceAccount"), WIDE),
]);
