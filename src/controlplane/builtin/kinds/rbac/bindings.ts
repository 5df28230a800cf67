/** What RoleBindings and ClusterRoleBindings share. */
import type { RoleBinding, Subject } from "../../../../generated/k8s/rbac-v1.ts";
import { type Check, IMMUTABLE } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { checkSegment, checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { WIDE, ageColumn, column, nameColumn, printer } from "../../tables/column.ts";

type Binding = Sent<RoleBinding>;

const GROUP = "rbac.authorization.k8s.io";

function setBindingDefaults({ roleRef, subjects = [] }: Binding): void {
  if (roleRef && !roleRef.apiGroup) roleRef.apiGroup = GROUP;
  for (const subject of subjects) {
    if (!subject.apiGroup && (subject.kind === "User" || subject.kind === "Group")) {
      subject.apiGroup = GROUP;
    }
  }
}

function checkSubject(subject: Check<Loose<Subject>>, namespaced: boolean): void {
  const { kind, apiGroup, namespace } = subject.value;
  const name = subject.at("name");
  name.given();
  if (kind === "ServiceAccount") {
    name.nameIfGiven(dns1123SubdomainErrors);
    if (apiGroup) subject.at("apiGroup").notSupported([""]);
    if (!namespaced && !namespace) subject.at("namespace").required();
  } else if (kind === "User" || kind === "Group") subject.at("apiGroup").oneOf([GROUP]);
  else subject.at("kind").oneOf(["ServiceAccount", "User", "Group"]);
}

function checkChange(binding: Check<Binding>, old: Binding): void {
  const { apiGroup, kind, name } = binding.value.roleRef ?? {};
  if (sameJson(binding.value.roleRef, old.roleRef)) return;
  const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
  binding.at("roleRef").invalid(IMMUTABLE, shown);
}

const subjects = (kind: string) => (binding: SentObject) =>
  listAt(binding, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) =>
      kind === "ServiceAccount"
        ? `${textAt(subject, "namespace")}/${textAt(subject, "name")}`
        : textAt(subject, "name"),
    )
    .join(", ");

function checkBinding(binding: Check<Binding>, namespaced: boolean): void {
  const role = binding.at("roleRef");
  role.at("apiGroup").oneOf([GROUP]);
  role.at("kind").oneOf(namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]);
  checkSegment(role.at("name"));
  binding.at("subjects").each((subject) => checkSubject(subject, namespaced));
}

/** The rules of one of the kinds. @param roleText - the description of the column Role */
export const bindingRules = (
  kind: "roleBinding" | "clusterRoleBinding",
  roleText: string,
): KindRules => ({
  validate: checked((binding: Check<Binding>) => checkBinding(binding, kind === "roleBinding")),
  validateUpdate: checkedChange(checkChange),
  name: "segment",
  createOnUpdate: true,
  setDefaults: setBindingDefaults,
  table: printer([
    nameColumn,
    column(
      "Role",
      (object) => `${textAt(object, "roleRef.kind")}/${textAt(object, "roleRef.name")}`,
    ),
    ageColumn,
    column("Users", subjects("User"), WIDE),
    column("Groups", subjects("Group"), WIDE),
    column("ServiceAccounts", subjects("ServiceAccount"), WIDE),
  ]),
  metadataChecks: ["whole", "change"],
  columnTexts: {
    Role: roleText,
    Users: `Users in the ${kind}`,
    Groups: `Groups in the ${kind}`,
    ServiceAccounts: `ServiceAccounts in the ${kind}`,
  },
});
