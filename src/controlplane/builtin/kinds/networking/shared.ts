/** Validation that Ingresses and IngressClasses share. */
import { type FieldError, nameErrorsAt } from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { segmentErrors } from "../../shared/addresses/names.ts";

export function referenceErrors(
  at: string,
  { apiGroup, kind, name }: { apiGroup?: string | null; kind: string; name: string },
): FieldError[] {
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : nameErrorsAt(`${at}.apiGroup`, apiGroup, dns1123SubdomainErrors)),
    ...segmentErrors(`${at}.kind`, kind),
    ...segmentErrors(`${at}.name`, name),
  ];
}
