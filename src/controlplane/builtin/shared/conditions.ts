/**
 * Validation of standard conditions.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/validation#ValidateConditions
 */
import {
  type FieldError,
  duplicate,
  invalidValue,
  nameErrorsAt,
  required,
  tooLong,
} from "../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../kube/names.ts";
import { oneOf } from "./checks.ts";

/** A condition as a client sends it. */
export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
}

const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

const REASON_RULE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Validates a list of conditions. */
export function conditionsErrors(
  field: string,
  conditions: readonly ShownCondition[] | null | undefined,
): FieldError[] {
  const types = new Set<string>();
  return (conditions ?? []).flatMap((condition, index) => {
    const at = `${field}[${index}]`;
    const isDuplicate = types.has(condition.type);
    types.add(condition.type);
    return [
      ...(isDuplicate ? [duplicate(at, condition.type)] : []),
      ...conditionErrors(at, condition),
    ];
  });
}

function conditionErrors(at: string, condition: ShownCondition): FieldError[] {
  const { type, status, reason = "", message = "", observedGeneration = 0 } = condition;
  const errors = [
    ...(type
      ? nameErrorsAt(`${at}.type`, type, qualifiedNameErrors)
      : [required(`${at}.type`, "is required")]),
    ...(status
      ? oneOf(`${at}.status`, status, ["False", "True", "Unknown"])
      : [required(`${at}.status`)]),
  ];
  if (observedGeneration < 0) {
    const rule = "must be greater than or equal to zero";
    errors.push(invalidValue(`${at}.observedGeneration`, observedGeneration, rule));
  }
  if (!condition.lastTransitionTime) errors.push(required(`${at}.lastTransitionTime`));
  if (reason === "") errors.push(required(`${at}.reason`));
  else {
    if (!/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)) {
      errors.push(invalidValue(`${at}.reason`, reason, REASON_RULE));
    }
    if (Buffer.byteLength(reason) > MAX_REASON_BYTES) {
      errors.push(tooLong(`${at}.reason`, MAX_REASON_BYTES));
    }
  }
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) {
    errors.push(tooLong(`${at}.message`, MAX_MESSAGE_BYTES));
  }
  return errors;
}
