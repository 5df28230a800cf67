/** 403 in admission's words. */
import type { StatusCause, StatusError } from "../../kube/status.ts";
import { forbiddenTo } from "../failures.ts";
import type { AdmissionRequest } from "./attributes.ts";

/**
 * The error that refuses a write, with the name of the object, or the beginning of the one that it
 * would get.
 */
export function refusal(
  { resource, name, object }: AdmissionRequest,
  why: string,
  causes?: StatusCause[],
): StatusError {
  const { name: own = "", generateName = "" } = (object as Partial<typeof object>)?.metadata ?? {};
  return forbiddenTo(resource, name || own || generateName || "Unknown", why, causes);
}
