/**
 * What is wrong with selectors of labels, in the API server's words.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/validation
 * @module
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

/** What is wrong with a selector of labels. */
export function selectorErrors(field: string, selector: LabelSelector | undefined): FieldError[] {
  const errors = validateLabels(selector?.matchLabels, `${field}.matchLabels`);
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

/** Whether labels can be compared so. */
export const isOperator = (operator: string): boolean => OPERATORS.has(operator);

/** One condition of a selector. */
interface Expression {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Whether an operator of a selector has the values that it needs; of one that is unknown nobody can tell. */
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

/** What is wrong with the label that a selector names, and with the values. */
export function labelErrors(at: string, { key = "", values = [] }: Expression): FieldError[] {
  return [
    ...nameErrorsAt(`${at}.key`, key, qualifiedNameErrors),
    ...values.flatMap((value, index) =>
      nameErrorsAt(`${at}.values[${index}]`, value, labelValueErrors),
    ),
  ];
}
