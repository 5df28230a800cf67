/**
 * `matchConditions`: expressions that limit a webhook or a policy to certain requests.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
import { CelError } from "../../kube/cel/values.ts";
import { Activation, Budget, CONDITIONS_BUDGET, type Inputs, OutOfBudget } from "./activation.ts";
import type { CompiledExpression } from "./expressions.ts";

/** Whether the conditions hold, or why that cannot be said. */
export type MatchResult = boolean | { readonly problem: string };

/** Evaluates match conditions. One that is false decides, whatever the others give. */
export function matchConditions(
  conditions: readonly CompiledExpression[],
  inputs: Inputs,
): MatchResult {
  const activation = new Activation(inputs);
  const budget = new Budget(CONDITIONS_BUDGET);
  const problems: string[] = [];
  let isFalse = false;
  try {
    for (const condition of conditions) {
      const result = activation.evaluate(condition, budget);
      if (result === false) isFalse = true;
      else if (result instanceof CelError) problems.push(result.message);
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: error.message };
    throw error;
  }
  if (isFalse) return false;
  const unique = [...new Set(problems)];
  if (unique.length === 0) return true;
  return { problem: unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]` };
}
