/**
 * What to do about a 403: the rule that is missing.
 *
 * @module
 */
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import { isForbidden, isNotFound } from "../../kube/status.ts";

/**
 * The next step after a refused or unknown kind, as a sentence; `undefined` for other errors.
 *
 * @param verbs - what the runtime wants to do with the kind
 */
export function rightsAdvice(
  error: unknown,
  resource: ResourceInfo,
  verbs: readonly string[],
): string | undefined {
  if (isForbidden(error)) {
    const list = verbs.map((verb) => JSON.stringify(verb)).join(", ");
    const rule = `{ groups: [${JSON.stringify(resource.group)}], resources: [${JSON.stringify(resource.plural)}], verbs: [${list}] }`;
    return `Put @Rbac(${rule}) on the reconciler, run \`tsop manifests\`, and apply the role`;
  }
  if (isNotFound(error)) {
    return `${groupResourceOf(resource)} is not served: install its CRD (\`tsop install\`); it is picked up when it is there`;
  }
  return undefined;
}
