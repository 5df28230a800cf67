/** The rule that is missing after a 403, as advice. */
import { rbacMarker } from "../../kube/needed-rights.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import { isForbidden, isNotFound } from "../../kube/status.ts";

/**
 * The next step after a refused or unknown kind, as a sentence; `undefined` for other errors.
 *
 * @param verbs - the verbs that the runtime needs
 */
export function rightsAdvice(
  error: unknown,
  resource: ResourceInfo,
  verbs: readonly string[],
): string | undefined {
  if (isForbidden(error)) return ruleAdvice(resource.group, resource.plural, verbs);
  if (isNotFound(error)) {
    return `${groupResourceOf(resource)} is not served: install its CRD (\`tsop install\`); it is watched as soon as it is served`;
  }
  return undefined;
}

// The wording of a refusal by the API server's RBAC authorizer.
const REFUSAL = /cannot (\S+) resource "([^"]+)" in API group "([^"]*)"/;

/**
 * The rule that is missing after a refused request, from the server's message; `undefined` for
 * other errors.
 */
export function refusalAdvice(error: unknown): string | undefined {
  const [, verb, resource, group] = (isForbidden(error) && REFUSAL.exec(error.message)) || [];
  if (verb === undefined || resource === undefined) return undefined;
  return ruleAdvice(group ?? "", resource, [verb]);
}

/** The rule to add, as a sentence without its full stop. */
export function ruleAdvice(group: string, resource: string, verbs: readonly string[]): string {
  const marker = rbacMarker(group, resource, verbs);
  return `Put ${marker} on the reconciler, run \`tsop manifests\`, and apply the role`;
}
