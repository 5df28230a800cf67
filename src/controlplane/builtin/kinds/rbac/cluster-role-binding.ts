import { bindingRules } from "./role-binding.ts";

export const clusterRoleBindingRules = bindingRules(false);
