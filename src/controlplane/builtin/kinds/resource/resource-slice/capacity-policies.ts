/** Validation of the policies by which parts of a device's capacity are requested. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  required,
} from "../../../../../kube/field-errors.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
} from "../../../../../kube/values/quantity.ts";
import { setErrors } from "../device-checks.ts";

const MAX_OPTIONS = 10;

/** The amounts that may be requested: listed values, or those of a range. */
export interface RequestPolicy {
  default?: string;
  validValues?: string[] | null;
  validRange?: { min?: string; max?: string; step?: string };
}

const isMore = (one: string, other: string): boolean =>
  compareQuantities(parseQuantity(one), parseQuantity(other)) > 0;

/** Validates a policy for a capacity of `max`. */
export function policyErrors(at: string, max: string, policy: RequestPolicy): FieldError[] {
  const { validRange, default: standard } = policy;
  const validValues = policy.validValues ?? [];
  if (validValues.length > 0 && validRange) {
    return [
      forbidden(
        at,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  }
  const part = validValues.length > 0 ? "validValues" : "validRange";
  if (validValues.length === 0 && !validRange) return [];
  if (standard === undefined) {
    return [required(`${at}.default`, `required when ${part} is defined`)];
  }
  return validRange
    ? rangeErrors(`${at}.validRange`, standard, max, validRange)
    : optionsErrors(`${at}.validValues`, standard, max, validValues);
}

function optionsErrors(
  at: string,
  standard: string,
  max: string,
  options: readonly string[],
): FieldError[] {
  const errors = options.flatMap((option, index) =>
    index > 0 && isMore(options[index - 1] ?? "0", option)
      ? [invalidValue(`${at}[${index}]`, option, "values must be sorted in ascending order")]
      : [],
  );
  errors.push(
    ...setErrors(
      at,
      options,
      MAX_OPTIONS,
      (option, field) =>
        isMore(option, max)
          ? [invalidValue(field, option, `option is larger than capacity value: ${max}`)]
          : [],
      (option) => String(wholeOf(option)),
    ),
  );
  const isKnown =
    options.length <= MAX_OPTIONS &&
    options.some((option) => !isMore(option, standard) && !isMore(standard, option));
  return isKnown
    ? errors
    : [
        ...errors,
        invalidValue(at, standard, "default value is not valid according to the requestPolicy"),
      ];
}

const WHOLE = 1_000_000_000n;

/** The amount in whole units, rounded up. */
function wholeOf(amount: string): bigint {
  const { nanos } = parseQuantity(amount);
  const whole = nanos / WHOLE;
  return nanos > whole * WHOLE ? whole + 1n : whole;
}

function rangeErrors(
  at: string,
  standard: string,
  capacity: string,
  { min, max, step }: NonNullable<RequestPolicy["validRange"]>,
): FieldError[] {
  if (min === undefined) return [required(`${at}.min`, "required when validRange is defined")];
  const errors: FieldError[] = [];
  const check = (isWrong: boolean, part: string, value: string, detail: string): void => {
    if (isWrong) errors.push(invalidValue(`${at}.${part}`, value, detail));
  };
  const over = `is larger than capacity value: ${capacity}`;
  check(isMore(min, capacity), "min", min, `min ${over}`);
  check(isMore(min, standard), "min", standard, `default is less than min: ${min}`);
  if (max !== undefined) {
    check(isMore(min, max), "max", min, `min is larger than max: ${max}`);
    check(isMore(max, capacity), "max", max, `max ${over}`);
    check(isMore(standard, max), "max", standard, `default is more than max: ${max}`);
  }
  if (step === undefined) return errors;
  const first = formatQuantity(addQuantities(parseQuantity(min), parseQuantity(step)));
  check(isMore(first, capacity), "step", step, `one step ${first} ${over}`);
  const width = wholeOf(step);
  for (const value of max === undefined ? [standard] : [standard, max]) {
    const isOff = width !== 0n && (wholeOf(value) - wholeOf(min)) % width !== 0n;
    const detail = `value is not a multiple of a given step (${step}) from (${min})`;
    check(isOff, "step", value, detail);
  }
  return errors;
}
