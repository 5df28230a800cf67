/**
 * Whether a user may do something, as a node or by roles, and the refusal of what they may not.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
import { type StatusError, failure } from "../../kube/status.ts";
import { forbiddenTo } from "../failures.ts";
import type { User } from "../kinds.ts";
import type { ObjectSource } from "../resource-name.ts";
import type { Attributes } from "../request-attributes.ts";
import { authorizeNode } from "./node-authorizer.ts";
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

/** 403 for a request of a user. @param reason - the authorizers' reason; may be empty */
export function denial(user: User, attributes: Attributes, reason: string): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot ${attributes.verb}`;
  const suffix = reason === "" ? "" : `: ${reason}`;
  if ("path" in attributes) {
    const what = escaped(`${who} path ${JSON.stringify(attributes.path)}`);
    return failure(403, "Forbidden", `forbidden: ${what}${suffix}`, {});
  }
  const { group, resource, subresource, namespace, name } = attributes;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const where =
    namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}`;
  const why = `${escaped(`${who} ${what}`)}${suffix}`;
  return forbiddenTo({ group, plural: resource }, name, why);
}

/** A text without the characters that HTML gives a meaning. */
const escaped = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
