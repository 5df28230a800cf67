/**
 * 403 as admission words it.
 *
 * @module
 */
import { groupResourceOf } from "../../kube/resource.ts";
import {
  type StatusCause,
  type StatusDetails,
  type StatusError,
  failure,
} from "../../kube/status.ts";
import type { AdmissionRequest } from "./attributes.ts";

/** What a refusal names: the object by its name, or by the beginning of the one that it would get. */
export function refusalDetails({
  resource,
  name,
  object,
}: AdmissionRequest): StatusDetails & { readonly name: string } {
  const { name: own = "", generateName = "" } = (object as Partial<typeof object>)?.metadata ?? {};
  return {
    name: name || own || generateName || "Unknown",
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}

/** How a refusal is not like most. */
interface RefusalForm {
  readonly code?: number;
  readonly reason?: string;
  readonly causes?: StatusCause[];
}

/** The refusal of a write. */
export function refusal(
  request: AdmissionRequest,
  why: string,
  { code = 403, reason = "Forbidden", causes = [] }: RefusalForm = {},
): StatusError {
  const details = refusalDetails(request);
  return failure(
    code,
    reason,
    `${groupResourceOf(request.resource)} ${JSON.stringify(details.name)} is forbidden: ${why}`,
    { ...details, ...(causes.length > 0 ? { causes } : {}) },
  );
}
