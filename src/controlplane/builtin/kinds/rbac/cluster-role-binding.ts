/** Rules of the kind ClusterRoleBinding. */
import { bindingRules } from "./role-binding.ts";

/** The rules of ClusterRoleBindings. */
export const clusterRoleBindingRules = bindingRules(false);
