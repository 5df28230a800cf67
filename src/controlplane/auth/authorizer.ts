/**
 * Whether a user may do something: as a node, or by roles.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
import type { ObjectSource } from "../resource-name.ts";
import type { User } from "../kinds.ts";
import { authorizeNode } from "./node-authorizer.ts";
import type { Attributes } from "./attributes.ts";
import { type Decision, authorizeByRoles } from "./rbac.ts";

/**
 * Asks both authorizers, as `--authorization-mode=Node,RBAC` does; a denial has the reasons of
 * both, each with the name of its authorizer.
 */
export function authorize(source: ObjectSource, user: User, attributes: Attributes): Decision {
  // Administrators are allowed everything, without a check.
  if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
  const asNode = authorizeNode(source, user, attributes);
  if (asNode?.allowed) return asNode;
  const byRoles = authorizeByRoles(source, user, attributes);
  if (byRoles.allowed) return byRoles;
  const reasons = [named("node", asNode?.reason), named("rbac", byRoles.reason)];
  return { allowed: false, reason: reasons.filter((reason) => reason !== "").join("\n") };
}

const named = (authorizer: string, reason = ""): string =>
  reason === "" ? "" : `${authorizer}: ${reason}`;
