/** Validation of the policies by which parts of a device's capacity are requested. */
import type { CapacityRequestPolicy } from "../../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../../kube/check.ts";
import type { Quantity } from "../../../../../kube/scalars.ts";
import {
  addQuantities,
  compareAmounts,
  formatQuantity,
  parseQuantity,
} from "../../../../../kube/values/quantity.ts";
import type { Loose } from "../../../shared/shapes.ts";
import { checkSet } from "../device-checks.ts";

const MAX_OPTIONS = 10;
const WHOLE = 1_000_000_000n;

type Policy = Loose<CapacityRequestPolicy>;

/** The amount in whole units, rounded up. */
function wholeOf(amount: Quantity): bigint {
  const { nanos } = parseQuantity(amount);
  const whole = nanos / WHOLE;
  return nanos > whole * WHOLE ? whole + 1n : whole;
}

/** Validates a policy for a capacity of `max`. */
export function checkRequestPolicy(policy: Check<Policy>, max: Quantity): void {
  const options = policy.at("validValues");
  const range = policy.at("validRange");
  const { default: standard } = policy.value;
  if (options.count > 0 && range.value) {
    policy.forbidden(
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
  } else if (standard === undefined) {
    const part = options.count > 0 ? "validValues" : "validRange";
    if (options.count > 0 || range.value) {
      policy.at("default").required(`required when ${part} is defined`);
    }
  } else if (range.value) checkRange(range, standard, max);
  else if (options.count > 0) checkOptions(options, standard, max);
}

function checkOptions(
  options: Check<Quantity[] | undefined>,
  standard: Quantity,
  max: Quantity,
): void {
  const { value: amounts = [] } = options;
  options.each((option, index) => {
    if (index > 0 && compareAmounts(amounts[index - 1] ?? "0", option.value) > 0) {
      option.invalid("values must be sorted in ascending order");
    }
  });
  const checkOption = (option: Check<Quantity>): void => {
    if (compareAmounts(option.value, max) > 0)
      option.invalid(`option is larger than capacity value: ${max}`);
  };
  checkSet(options, MAX_OPTIONS, checkOption, (option) => String(wholeOf(option)));
  const isKnown = amounts.some((one) => compareAmounts(one, standard) === 0);
  if (!isKnown || amounts.length > MAX_OPTIONS) {
    options.invalid("default value is not valid according to the requestPolicy", standard);
  }
}

function checkRange(
  range: Check<Policy["validRange"]>,
  standard: Quantity,
  capacity: Quantity,
): void {
  const { min, max, step } = range.value ?? {};
  if (min === undefined) {
    range.at("min").required("required when validRange is defined");
    return;
  }
  const check = (
    isWrong: boolean,
    part: "min" | "max" | "step",
    value: Quantity,
    detail: string,
  ): void => {
    if (isWrong) range.at(part).invalid(detail, value);
  };
  const over = `is larger than capacity value: ${capacity}`;
  check(compareAmounts(min, capacity) > 0, "min", min, `min ${over}`);
  check(compareAmounts(min, standard) > 0, "min", standard, `default is less than min: ${min}`);
  if (max !== undefined) {
    check(compareAmounts(min, max) > 0, "max", min, `min is larger than max: ${max}`);
    check(compareAmounts(max, capacity) > 0, "max", max, `max ${over}`);
    check(compareAmounts(standard, max) > 0, "max", standard, `default is more than max: ${max}`);
  }
  if (step === undefined) return;
  const first = formatQuantity(addQuantities(parseQuantity(min), parseQuantity(step)));
  check(compareAmounts(first, capacity) > 0, "step", step, `one step ${first} ${over}`);
  const width = wholeOf(step);
  for (const value of max === undefined ? [standard] : [standard, max]) {
    const isOff = width !== 0n && (wholeOf(value) - wholeOf(min)) % width !== 0n;
    const detail = `value is not a multiple of a given step (${step}) from (${min})`;
    check(isOff, "step", value, detail);
  }
}
