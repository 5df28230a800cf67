/**
 * `matchConditions`: expressions under which alone a webhook is asked.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 * @module
 */
import { CompileFailure } from "../../kube/schema/cel/compile.ts";
import { CelError } from "../../kube/schema/cel/values.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import { failure } from "../../kube/status.ts";
import type { AdmissionRequest } from "./attributes.ts";
import type { Authorize } from "./authorizer-library.ts";
import { AdmissionExpressions, bindingsOf } from "./expressions.ts";
import type { MatchCondition } from "./webhooks.ts";

/** Evaluates conditions. */
export class MatchConditions {
  readonly #expressions = new AdmissionExpressions(false);
  readonly #authorize: Authorize;

  constructor(authorize: Authorize) {
    this.#authorize = authorize;
  }

  /**
   * Whether all conditions hold. One that is false decides, whatever becomes of the others.
   *
   * @param shown - the `request` of the review
   * @param ignoreErrors - a condition that fails counts as one that does not hold
   * @throws StatusError 403 for one that fails
   */
  hold(
    conditions: readonly MatchCondition[],
    request: AdmissionRequest,
    shown: unknown,
    ignoreErrors: boolean,
  ): boolean {
    const bindings = bindingsOf(request, shown, this.#authorize);
    const errors: string[] = [];
    for (const { expression } of conditions) {
      const compiled = this.#expressions.compile(expression);
      const result =
        compiled instanceof CompileFailure
          ? new CelError(`compilation failed: ${compiled.message}`)
          : compiled.evaluate(bindings).result;
      if (result === false) return false;
      if (result === true) continue;
      const why = result instanceof CelError ? result.message : "it is no boolean";
      errors.push(`expression '${expression}' resulted in error: ${why}`);
    }
    if (errors.length === 0) return true;
    if (ignoreErrors) return false;
    const { resource, name } = request;
    const text = errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`;
    const shownName = name === "" ? "" : ` ${JSON.stringify(name)}`;
    throw failure(
      403,
      "Forbidden",
      `${groupResourceOf(resource)}${shownName} is forbidden: ${text}`,
      {
        ...(name === "" ? {} : { name }),
        ...(resource.group === "" ? {} : { group: resource.group }),
        kind: resource.plural,
      },
    );
  }
}
