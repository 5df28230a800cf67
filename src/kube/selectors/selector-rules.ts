/**
 * Validation of label selectors, in the API server's words.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/validation
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  required,
} from "../field-errors.ts";
import { validateLabels } from "../metadata.ts";
import { labelValueErrors, qualifiedNameErrors } from "../names.ts";
import type { LabelSelector } from "./selector.ts";

/** Errors of a label selector. */
export function selectorErrors(field: string, selector: LabelSelector | undefined): FieldError[] {
  const errors = validateLabels(`${field}.matchLabels`, selector?.matchLabels);
  for (const [index, expression] of (selector?.matchExpressions ?? []).entries()) {
    const at = `${field}.matchExpressions[${index}]`;
    const { operator } = expression;
    if (!isOperator(operator)) {
      errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
    }
    errors.push(...valueCountErrors(at, expression), ...labelErrors(at, expression));
  }
  return errors;
}

const OPERATORS: ReadonlySet<string> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

/** Whether it is an operator of label selectors. */
export const isOperator = (operator: string): boolean => OPERATORS.has(operator);

/** One condition of a selector. */
interface Expression {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Errors of the number of an operator's values; an unknown operator has none. */
export function valueCountErrors(at: string, { operator, values = [] }: Expression): FieldError[] {
  const field = `${at}.values`;
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    return [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
}

/** Errors of a requirement's key and values. */
export function labelErrors(at: string, { key = "", values = [] }: Expression): FieldError[] {
  return [
    ...nameErrorsAt(`${at}.key`, key, qualifiedNameErrors),
    ...values.flatMap((value, index) =>
      nameErrorsAt(`${at}.values[${index}]`, value, labelValueErrors),
    ),
  ];
}
