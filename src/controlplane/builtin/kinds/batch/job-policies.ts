/** Validation of the policies of a Job about failed and successful pods. */
import { messageOf } from "../../../../errors.ts";
import {
  type FieldError,
  duplicate,
  invalidValue,
  nameErrorsAt,
  quote,
  required,
  tooMany,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { notNegative, oneOf } from "../../shared/checks.ts";
import { parseIndexes } from "./job-indexes.ts";
import type { JobSpec } from "./job-spec-shape.ts";

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS = ["In", "NotIn"];
const STATES = ["False", "True", "Unknown"];
const MAX_RULES = 20;
const MAX_CODES = 255;

type FailureRule = NonNullable<JobSpec["podFailurePolicy"]>["rules"][number];

/** A list as Go's `%q` prints it. */
const shownWords = (words: readonly string[]): string => `[${words.map(quote).join(" ")}]`;

/** An error without a value. */
const bare = (field: string, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${detail}`,
});

export function failurePolicyErrors(field: string, spec: JobSpec): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const { containers, initContainers = [] } = spec.template.spec;
  const names = [...(containers ?? []), ...initContainers].map(({ name }) => name);
  return [
    ...(rules.length > MAX_RULES ? [tooMany(`${field}.rules`, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, index) => ruleErrors(`${field}.rules[${index}]`, rule, spec, names)),
  ];
}

function ruleErrors(
  at: string,
  { action, onExitCodes, onPodConditions = [] }: FailureRule,
  spec: JobSpec,
  names: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (action === "") {
    errors.push(required(`${at}.action`, `valid values: ${shownWords(ACTIONS)}`));
  } else if (action === "FailIndex") {
    if (spec.backoffLimitPerIndex === undefined) {
      const detail = "requires the backoffLimitPerIndex to be set";
      errors.push(invalidValue(`${at}.action`, action, detail));
    }
  } else errors.push(...oneOf(`${at}.action`, action, ACTIONS));
  if (onExitCodes) errors.push(...exitCodeErrors(`${at}.onExitCodes`, onExitCodes, names));
  for (const [index, { type, status = "" }] of onPodConditions.entries()) {
    const pattern = `${at}.onPodConditions[${index}]`;
    errors.push(
      ...nameErrorsAt(`${pattern}.type`, type, qualifiedNameErrors),
      ...(status === ""
        ? [required(`${pattern}.status`, `valid values: ${shownWords(STATES)}`)]
        : oneOf(`${pattern}.status`, status, STATES)),
    );
  }
  if (onExitCodes && onPodConditions.length > 0) {
    errors.push(bare(at, "specifying both OnExitCodes and OnPodConditions is not supported"));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    errors.push(bare(at, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
  return errors;
}

function exitCodeErrors(
  at: string,
  { operator, values: given, containerName }: NonNullable<FailureRule["onExitCodes"]>,
  names: readonly string[],
): FieldError[] {
  const values = given ?? [];
  const errors =
    operator === ""
      ? [required(`${at}.operator`, `valid values: ${shownWords(OPERATORS)}`)]
      : oneOf(`${at}.operator`, operator, OPERATORS);
  if (containerName !== undefined && !names.includes(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalidValue(`${at}.containerName`, containerName, detail));
  }
  const field = `${at}.values`;
  if (values.length === 0)
    errors.push(invalidValue(field, given, "at least one value is required"));
  else if (values.length > MAX_CODES) errors.push(tooMany(field, values.length, MAX_CODES));
  for (const [index, value] of values.entries()) {
    if (operator === "In" && value === 0) {
      errors.push(invalidValue(`${field}[${index}]`, value, "must not be 0 for the In operator"));
    }
    if (values.indexOf(value) < index) errors.push(duplicate(`${field}[${index}]`, value));
  }
  const isOrdered = values.every(
    (value, index) => index === 0 || (values[index - 1] ?? 0) <= value,
  );
  return isOrdered ? errors : [...errors, invalidValue(field, values, "must be ordered")];
}

export function successPolicyErrors(field: string, spec: JobSpec): FieldError[] {
  const rules = spec.successPolicy?.rules ?? [];
  const { completions = 0 } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(`${field}.rules`, detail));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${field}.rules`, rules.length, MAX_RULES));
  for (const [index, { succeededIndexes, succeededCount }] of rules.entries()) {
    const at = `${field}.rules[${index}]`;
    if (succeededIndexes === undefined && succeededCount === undefined) {
      const detail = "at least one of succeededCount or succeededIndexes must be specified";
      errors.push(required(at, detail));
    }
    let total = succeededIndexes === undefined ? undefined : 0;
    if (succeededIndexes !== undefined) {
      try {
        total = parseIndexes(succeededIndexes, completions).length;
      } catch (thrown) {
        const detail = `error parsing succeededIndexes: ${messageOf(thrown)}`;
        errors.push(invalidValue(`${at}.succeededIndexes`, succeededIndexes, detail));
      }
    }
    if (succeededCount === undefined) continue;
    const count = `${at}.succeededCount`;
    errors.push(...notNegative(count, succeededCount));
    const most = "must be less than or equal to";
    if (succeededCount > completions) {
      const detail = `${most} ${completions} (the number of specified completions)`;
      errors.push(invalidValue(count, succeededCount, detail));
    }
    if (total !== undefined && succeededCount > total) {
      const detail = `${most} ${total} (the number of indexes in the specified succeededIndexes field)`;
      errors.push(invalidValue(count, succeededCount, detail));
    }
  }
  return errors;
}
