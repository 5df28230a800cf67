/** Rules of the kind ServiceCIDR. */
import { type FieldError, invalidValue, required } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt } from "../../at.ts";
import { isOneOfEach, parseRange, rangeErrors } from "../../shared/addresses/addresses.ts";
import { IMMUTABLE } from "../../shared/checks.ts";
import { asGiven } from "../../strategies/emptied.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer } from "../../tables/column.ts";

interface ServiceCidr extends SentObject {
  spec?: { cidrs?: string[] };
}

function newServiceCidrErrors(object: ServiceCidr): FieldError[] {
  const field = "spec.cidrs";
  const { cidrs = [] } = object.spec ?? {};
  if (cidrs.length === 0) return [required(field, "at least one CIDR required")];
  if (cidrs.length > 2) {
    return [invalidValue(field, { CIDRs: cidrs }, "may only hold up to 2 values")];
  }
  const errors = cidrs.flatMap((cidr, index) => rangeErrors(`${field}[${index}]`, cidr));
  if (cidrs.length === 2 && cidrs.every((cidr) => parseRange(cidr)) && !isOneOfEach(cidrs)) {
    errors.push(
      invalidValue(
        field,
        cidrs,
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
      ),
    );
  }
  return errors;
}

/** Validates an update: ranges are immutable, except that a second one may be added. */
function serviceCidrUpdateErrors(object: ServiceCidr, previous: ServiceCidr): FieldError[] {
  const { cidrs = [] } = object.spec ?? {};
  const { cidrs: old = [] } = previous.spec ?? {};
  const changed = old.flatMap((before, index) =>
    cidrs[index] === before
      ? []
      : [invalidValue(`spec.cidrs[${index}]`, cidrs[index] ?? "", IMMUTABLE)],
  );
  if (cidrs.length === old.length) return changed;
  if (old.length === 1 && cidrs.length === 2) return [...changed, ...newServiceCidrErrors(object)];
  return [invalidValue("spec.cidrs", asGiven(object.spec, "cidrs"), IMMUTABLE)];
}

/** The rules of ServiceCIDRs. */
export const serviceCidrRules: KindRules = {
  validateCreate: newServiceCidrErrors,
  validateUpdate: serviceCidrUpdateErrors,
  status: "none",
  table: printer([
    nameColumn,
    column("CIDRs", (object) => listAt(object, "spec.cidrs").join(",")),
    ageColumn,
  ]),
  resetFields: { status: ["spec", "metadata"] },
  columnFields: {
    CIDRs: "networking.v1.ServiceCIDRSpec.cidrs",
  },
};
