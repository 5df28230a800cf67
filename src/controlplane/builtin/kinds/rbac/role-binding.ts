/** Rules of the kind RoleBinding. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { roleBinding } from "./binding-columns.ts";
import { setBindingDefaults } from "./binding-defaults.ts";
import { bindingErrors, bindingUpdateErrors } from "./shared.ts";
import { type Binding } from "./shared.ts";

const roleBindingErrors = (object: Binding): FieldError[] =>
  bindingErrors(object, ["Role", "ClusterRole"], true);

/** The rules of RoleBindings. */
export const roleBindingRules: KindRules = {
  validate: roleBindingErrors,
  validateUpdate: bindingUpdateErrors,
  name: "segment",
  createOnUpdate: true,
  setDefaults: setBindingDefaults,
  table: roleBinding,
  metadataChecks: ["whole", "change"],
  columnTexts: {
    Role: "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
    Users: "Users in the roleBinding",
    Groups: "Groups in the roleBinding",
    ServiceAccounts: "ServiceAccounts in the roleBinding",
  },
};
