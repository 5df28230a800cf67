/** Rules of the kind ClusterRoleBinding. */
import { bindingRules } from "./bindings.ts";

/** The rules of ClusterRoleBindings. */
export const clusterRoleBindingRules = bindingRules(
  "clusterRoleBinding",
  "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
);
