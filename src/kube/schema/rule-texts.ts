/** Validation of the parts of a CEL rule other than its expression. */
import { type FieldError, invalidValue, notSupported, required } from "../field-errors.ts";
import type { ValidationRule } from "./structural.ts";

const REASONS = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];

const isBlank = (text: string): boolean => text !== "" && text.trim() === "";
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

/** Errors of the texts of a rule at `path`. */
export function ruleTextErrors(rule: ValidationRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { message = "", messageExpression = "", fieldPath = "" } = rule;
  const { rule: source = "" } = rule as Partial<ValidationRule>;
  const at = (name: string): string => `${path}.${name}`;
  if (source.trim() === "") errors.push(required(at("rule"), "rule is not specified"));
  else if (isBlank(message)) {
    errors.push(invalidValue(at("message"), message, "must be non-empty if specified"));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalidValue(at("message"), message, "must not contain line breaks"));
  } else if (hasLineBreak(source.trim()) && message === "") {
    const text = "message must be specified if rule contains line breaks";
    errors.push(required(at("message"), text));
  }
  if (isBlank(messageExpression)) {
    const text = "messageExpression must be non-empty if specified";
    errors.push(required(at("messageExpression"), text));
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    errors.push(notSupported(at("reason"), rule.reason, REASONS));
  }
  if (isBlank(fieldPath)) {
    errors.push(invalidValue(at("fieldPath"), fieldPath, "must be non-empty if specified"));
  }
  if (hasLineBreak(fieldPath)) {
    errors.push(invalidValue(at("fieldPath"), fieldPath, "must not contain line breaks"));
  }
  return errors;
}
