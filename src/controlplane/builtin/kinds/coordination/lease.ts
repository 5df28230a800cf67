/** Rules of the kind Lease. */
import { type FieldError, invalidValue } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { notNegative } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer, textColumn } from "../../tables/column.ts";

/** Drops the fields of coordinated leader election, a disabled feature. */
function dropLeaseStrategy(object: Lease): void {
  const { spec } = object;
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

interface Lease extends SentObject {
  spec?: {
    leaseDurationSeconds?: number;
    strategy?: string;
    preferredHolder?: string;
    leaseTransitions?: number;
  };
}

function leaseErrors(object: Lease): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = object.spec ?? {};
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalidValue("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  }
  errors.push(...notNegative("spec.leaseTransitions", leaseTransitions));
  return errors;
}

/** The rules of Leases. */
export const leaseRules: KindRules = {
  validate: leaseErrors,
  createOnUpdate: true,
  conditionalUpdate: true,
  prepareForCreate: dropLeaseStrategy,
  prepareForUpdate: dropLeaseStrategy,
  table: printer([nameColumn, textColumn("Holder", "spec.holderIdentity"), ageColumn]),
  freeFinalizers: true,
  columnFields: {
    Holder: "coordination.v1.LeaseSpec.holderIdentity",
  },
};
