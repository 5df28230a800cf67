import type { ServiceCIDR } from "../../../../generated/k8s/networking-v1.ts";
import { type Check, IMMUTABLE } from "../../../../kube/check.ts";
import { isOneOfEach, parseRange, rangeErrors } from "../../shared/addresses/addresses.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Sent } from "../../shared/shapes.ts";
import { asGiven } from "../../go/emptied.ts";
import type { KindRules } from "../../kind-rules.ts";

type ServiceCidr = Sent<ServiceCIDR>;

const ONE_OF_EACH =
  "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";

function checkServiceCidr(object: Check<ServiceCidr>): void {
  const ranges = object.at("spec", "cidrs");
  const cidrs = ranges.value ?? [];
  if (!ranges.given("at least one CIDR required")) return;
  if (cidrs.length > 2) {
    ranges.invalid("may only hold up to 2 values", { CIDRs: cidrs });
    return;
  }
  ranges.each((range) => range.named(rangeErrors));
  const areRead = cidrs.every((cidr) => parseRange(cidr));
  if (cidrs.length === 2 && areRead && !isOneOfEach(cidrs)) ranges.invalid(ONE_OF_EACH);
}

/** Validates an update: ranges are immutable, except that a second one may be added. */
function checkChange(object: Check<ServiceCidr>, previous: ServiceCidr): void {
  const ranges = object.at("spec", "cidrs");
  const cidrs = ranges.value ?? [];
  const old = previous.spec?.cidrs ?? [];
  const addsOne = old.length === 1 && cidrs.length === 2;
  if (cidrs.length !== old.length && !addsOne) {
    ranges.invalid(IMMUTABLE, asGiven(object.value.spec, "cidrs"));
    return;
  }
  ranges.each((range, index) => {
    if (index < old.length) range.unchanged(old[index] ?? "");
  });
  if (addsOne) checkServiceCidr(object);
}

export const serviceCidrRules: KindRules = {
  validateCreate: checked(checkServiceCidr),
  validateUpdate: checkedChange(checkChange),
  status: "none",
  table: { CIDRs: "spec.cidrs" },
  resetFields: { status: ["spec", "metadata"] },
};
