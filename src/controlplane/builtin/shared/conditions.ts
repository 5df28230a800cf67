/**
 * Validation of standard conditions.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/validation#ValidateConditions
 */
import type { Check } from "../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../kube/names.ts";
import type { Condition, Loose } from "./shapes.ts";

/** A condition as a client sends it. */
export type ShownCondition = Condition;

const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

const REASON_RULE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Validates a list of conditions. */
export function checkConditions(
  conditions: Check<readonly Loose<ShownCondition>[] | null | undefined>,
): void {
  const types = new Set<string>();
  conditions.each((condition) => {
    const { observedGeneration = 0, lastTransitionTime } = condition.value;
    const reason = condition.at("reason");
    const status = condition.at("status");
    condition.uniqueIn(types, condition.value.type);
    if (condition.at("type").given("is required")) condition.at("type").named(qualifiedNameErrors);
    if (status.given()) status.oneOf(["False", "True", "Unknown"]);
    if (observedGeneration < 0) {
      condition.at("observedGeneration").invalid("must be greater than or equal to zero");
    }
    if (!lastTransitionTime) condition.at("lastTransitionTime").required();
    if (reason.given()) checkReason(reason);
    condition.at("message").atMostBytes(MAX_MESSAGE_BYTES);
  });
}

function checkReason(reason: Check<string | undefined>): void {
  const { value = "" } = reason;
  if (!/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(value)) reason.invalid(REASON_RULE);
  reason.atMostBytes(MAX_REASON_BYTES);
}
