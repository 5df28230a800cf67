/** Validation of names that are IP addresses, and of names that are path segments. */
import { type FieldError, nameErrorsAt, required } from "../../../../kube/field-errors.ts";
import { pathSegmentErrors } from "../../../../kube/names.ts";
import { addressErrors } from "./addresses.ts";

/** Validates a name that is an IP address, in canonical form. */
export const addressNameErrors = (name: string): string[] =>
  addressErrors("", name).map(({ message }) => message.slice(message.indexOf('": ') + 3));

/** Validates a required name that must be a valid path segment. */
export function segmentErrors(field: string, name: string): FieldError[] {
  return name === ""
    ? [required(field)]
    : nameErrorsAt(field, name, (text) => pathSegmentErrors(text));
}
