/** The refusal of a request by authorization. */
import { quote } from "../../kube/field-errors.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import type { User } from "../kinds.ts";
import type { Attributes } from "./attributes.ts";
import { denialText } from "./rbac.ts";

/** 403 for a request of a user. @param reason - the authorizers' reason; may be empty */
export function denial(user: User, attributes: Attributes, reason: string): StatusError {
  const why = `${denialText(user, attributes)}${reason === "" ? "" : `: ${reason}`}`;
  if ("path" in attributes) return failure(403, "Forbidden", `forbidden: ${why}`, {});
  const { group, resource, name } = attributes;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  return failure(
    403,
    "Forbidden",
    `${qualified}${name === "" ? "" : ` ${quote(name)}`} is forbidden: ${why}`,
    {
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { group }),
      kind: resource,
    },
  );
}
