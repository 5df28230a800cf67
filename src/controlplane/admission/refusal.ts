/** 403 in admission's words. */
import { groupResourceOf } from "../../kube/resource.ts";
import {
  type StatusCause,
  type StatusDetails,
  type StatusError,
  failure,
} from "../../kube/status.ts";
import type { AdmissionRequest } from "./attributes.ts";

/**
 * The details of a refusal, with the name of the object, or the beginning of the one that it would
 * get.
 */
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

/** The parts of a refusal that differ from most others. */
interface RefusalForm {
  readonly code?: number;
  readonly reason?: string;
  readonly causes?: StatusCause[];
}

/** The error that refuses a write. */
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
