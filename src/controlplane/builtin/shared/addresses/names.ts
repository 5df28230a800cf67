/**
 * Names that are IP addresses, and names of path segments.
 *
 * @module
 */
import { type FieldError, nameErrorsAt, required } from "../../../../kube/field-errors.ts";
import { pathSegmentErrors } from "../../../../kube/names.ts";
import { addressErrors } from "./addresses.ts";

/** The name is the address itself, in canonical form. */
export const addressNameErrors = (name: string): string[] =>
  addressErrors("", name).map(({ message }) => message.slice(message.indexOf('": ') + 3));

/** A name that can stand in a path, and is there. */
export function segmentErrors(field: string, name: string): FieldError[] {
  return name === ""
    ? [required(field)]
    : nameErrorsAt(field, name, (text) => pathSegmentErrors(text));
}
