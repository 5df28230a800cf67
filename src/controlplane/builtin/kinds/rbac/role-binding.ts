/** Rules of the kind RoleBinding. */
import { bindingRules } from "./bindings.ts";

/** The rules of RoleBindings. */
export const roleBindingRules = bindingRules(
  "roleBinding",
  "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
);
