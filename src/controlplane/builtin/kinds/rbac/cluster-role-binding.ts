/** Rules of the kind ClusterRoleBinding. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { roleBinding } from "./binding-columns.ts";
import { setBindingDefaults } from "./binding-defaults.ts";
import { bindingErrors, bindingUpdateErrors } from "./shared.ts";
import { type Binding } from "./shared.ts";

const clusterRoleBindingErrors = (object: Binding): FieldError[] =>
  bindingErrors(object, ["ClusterRole"], false);

/** The rules of ClusterRoleBindings. */
export const clusterRoleBindingRules: KindRules = {
  validate: clusterRoleBindingErrors,
  validateUpdate: bindingUpdateErrors,
  name: "segment",
  createOnUpdate: true,
  setDefaults: setBindingDefaults,
  table: roleBinding,
  metadataChecks: ["whole", "change"],
  columnTexts: {
    Role: "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
    Users: "Users in the clusterRoleBinding",
    Groups: "Groups in the clusterRoleBinding",
    ServiceAccounts: "ServiceAccounts in the clusterRoleBinding",
  },
};
