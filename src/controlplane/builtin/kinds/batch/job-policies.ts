/** Validation of the policies of a Job about failed and successful pods. */
import { messageOf } from "../../../../errors.ts";
import type { Check } from "../../../../kube/check.ts";
import { quote } from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { checkNotNegative } from "../../shared/checks.ts";
import { parseIndexes } from "./job-indexes.ts";
import type { JobSpec } from "./job-spec-shape.ts";

const MAX_RULES = 20;
const MAX_CODES = 255;

type FailureRule = NonNullable<JobSpec["podFailurePolicy"]>["rules"][number];
type ExitCodes = NonNullable<FailureRule["onExitCodes"]>;
type SuccessRule = NonNullable<JobSpec["successPolicy"]>["rules"][number];

/** Validates a word that is required; the message about a missing one lists the valid ones. */
function checkWord(word: Check<string | undefined>, known: readonly string[]): void {
  if (word.given(`valid values: [${known.map(quote).join(" ")}]`)) word.oneOf(known);
}

export function checkFailurePolicy(spec: Check<JobSpec>): void {
  const rules = spec.at("podFailurePolicy", "rules");
  const { containers, initContainers = [] } = spec.value.template.spec;
  const names = [...(containers ?? []), ...initContainers].map(({ name }) => name);
  rules.atMost(MAX_RULES);
  rules.each((rule) => checkFailureRule(rule, spec.value, names));
}

function checkFailureRule(
  rule: Check<FailureRule>,
  spec: JobSpec,
  containers: readonly string[],
): void {
  const { onExitCodes, onPodConditions = [] } = rule.value;
  const action = rule.at("action");
  if (action.value !== "FailIndex") {
    checkWord(action, ["Count", "FailIndex", "FailJob", "Ignore"]);
  } else if (spec.backoffLimitPerIndex === undefined) {
    action.invalid("requires the backoffLimitPerIndex to be set");
  }
  rule.at("onExitCodes").ifSet((codes) => checkExitCodes(codes, containers));
  rule.at("onPodConditions").each((pattern) => {
    pattern.at("type").named(qualifiedNameErrors);
    checkWord(pattern.at("status"), ["False", "True", "Unknown"]);
  });
  if (onExitCodes && onPodConditions.length > 0) {
    rule.invalidStructure("specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    rule.invalidStructure("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function checkExitCodes(codes: Check<ExitCodes>, containers: readonly string[]): void {
  const { operator, containerName } = codes.value;
  const values: Check<readonly number[] | null> = codes.at("values");
  const numbers = values.value ?? [];
  checkWord(codes.at("operator"), ["In", "NotIn"]);
  if (containerName !== undefined && !containers.includes(containerName)) {
    codes
      .at("containerName")
      .invalid("must be one of the container or initContainer names in the pod template");
  }
  if (numbers.length === 0) values.invalid("at least one value is required");
  else values.atMost(MAX_CODES);
  const seen = new Set<number>();
  values.each((value) => {
    if (operator === "In" && value.value === 0) value.invalid("must not be 0 for the In operator");
    value.uniqueIn(seen);
  });
  const isOrdered = numbers.every(
    (value, index) => index === 0 || (numbers[index - 1] ?? 0) <= value,
  );
  if (!isOrdered) values.invalid("must be ordered");
}

export function checkSuccessPolicy(spec: Check<JobSpec>): void {
  const { completions = 0 } = spec.value;
  const rules = spec.at("successPolicy", "rules");
  rules.given("at least one rules must be specified when the successPolicy is specified");
  rules.atMost(MAX_RULES);
  rules.each((rule) => checkSuccessRule(rule, completions));
}

function checkSuccessRule(rule: Check<SuccessRule>, completions: number): void {
  const { succeededIndexes, succeededCount } = rule.value;
  const count = rule.at("succeededCount");
  if (succeededIndexes === undefined && succeededCount === undefined) {
    rule.required("at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = succeededIndexes === undefined ? Infinity : 0;
  rule.at("succeededIndexes").ifSet((indexes) => {
    try {
      total = parseIndexes(indexes.value, completions).length;
    } catch (thrown) {
      indexes.invalid(`error parsing succeededIndexes: ${messageOf(thrown)}`);
    }
  });
  if (succeededCount === undefined) return;
  checkNotNegative(count);
  const refuse = (most: number, what: string): void =>
    count.invalid(`must be less than or equal to ${most} (the number of ${what})`);
  if (succeededCount > completions) refuse(completions, "specified completions");
  if (succeededCount > total) refuse(total, "indexes in the specified succeededIndexes field");
}
