import type { Lease as LeaseKind } from "../../../../generated/k8s/coordination-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { checkNotNegative, checked } from "../../shared/checks.ts";
import type { Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

/** Drops the fields of coordinated leader election, a disabled feature. */
function dropLeaseStrategy(object: Lease): void {
  const { spec } = object;
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

type Lease = Sent<LeaseKind>;

function checkLease(lease: Check<Lease>): void {
  lease.at("spec", "leaseDurationSeconds").ifSet((seconds) => {
    if (seconds.value <= 0) seconds.invalid("must be greater than 0");
  });
  checkNotNegative(lease.at("spec", "leaseTransitions"));
}

export const leaseRules: KindRules = {
  validate: checked(checkLease),
  createOnUpdate: true,
  conditionalUpdate: true,
  prepareForCreate: dropLeaseStrategy,
  prepareForUpdate: dropLeaseStrategy,
  table: { Holder: "spec.holderIdentity" },
  freeFinalizers: true,
};
