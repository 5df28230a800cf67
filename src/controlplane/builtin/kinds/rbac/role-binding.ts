/** Rules of the kind RoleBinding, which ClusterRoleBindings have too. */
import type { RoleBinding, Subject } from "../../../../generated/k8s/rbac-v1.ts";
import { type Check, IMMUTABLE } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { checkSegment, checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

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

/** The rules of bindings in namespaces, or of the others. */
export const bindingRules = (namespaced: boolean): KindRules => ({
  validate: checked((binding: Check<Binding>) => checkBinding(binding, namespaced)),
  validateUpdate: checkedChange(checkChange),
  name: "segment",
  createOnUpdate: true,
  setDefaults: setBindingDefaults,
  table: {
    Role: (object) => `${textAt(object, "roleRef.kind")}/${textAt(object, "roleRef.name")}`,
    Users: subjects("User"),
    Groups: subjects("Group"),
    ServiceAccounts: subjects("ServiceAccount"),
  },
  metadataChecks: ["whole", "change"],
});

export const roleBindingRules = bindingRules(true);
