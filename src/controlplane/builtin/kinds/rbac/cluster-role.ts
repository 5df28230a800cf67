/** Rules of the kind ClusterRole. */
import { type FieldError, invalidValue, required } from "../../../../kube/field-errors.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { type Role, rulesErrors } from "./shared.ts";

function clusterRoleErrors(object: Role): FieldError[] {
  const errors = rulesErrors(object, false);
  const { aggregationRule } = object;
  if (!aggregationRule) return errors;
  const { clusterRoleSelectors = [] } = aggregationRule;
  const field = "aggregationRule.clusterRoleSelectors";
  if (clusterRoleSelectors.length === 0) {
    errors.push(
      required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil"),
    );
  }
  for (const [index, selector] of clusterRoleSelectors.entries()) {
    const problems = selectorErrors(`${field}[${index}]`, selector);
    errors.push(...problems);
    if (problems.length > 0) {
      errors.push(invalidValue(`${field}[${index}]`, null, "invalid label selector."));
    }
  }
  return errors;
}

/** The rules of ClusterRoles. */
export const clusterRoleRules: KindRules = {
  validate: clusterRoleErrors,
  name: "segment",
  createOnUpdate: true,
  metadataChecks: ["whole", "change"],
};
