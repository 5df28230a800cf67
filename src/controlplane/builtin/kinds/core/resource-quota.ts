import { type Check, IMMUTABLE } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { mapAt, textOf } from "../../at.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import { checkAmount, checkResourceName, isQuotaResource } from "../../shared/resource-names.ts";
import type { ResourceList, ResourceQuota, ScopeExpression } from "../../shared/shapes.ts";
import { asGiven } from "../../go/emptied.ts";
import type { KindRules } from "../../kind-rules.ts";
import { sorted } from "./shared.ts";
import { tableOf } from "../../../../table.ts";

const POD_RESOURCES = [
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
];

/** The resources that each scope can limit. */
const SCOPES = tableOf<readonly string[]>({
  Terminating: POD_RESOURCES,
  NotTerminating: POD_RESOURCES,
  NotBestEffort: POD_RESOURCES,
  PriorityClass: POD_RESOURCES,
  CrossNamespacePodAffinity: POD_RESOURCES,
  BestEffort: ["pods"],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
});

const CONFLICTS = [
  ["BestEffort", "NotBestEffort"],
  ["NotTerminating", "Terminating"],
] as const;

const EXISTS_ONLY = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];

function checkQuota(quota: Check<ResourceQuota>): void {
  const { hard = {}, scopes = [] } = quota.value.spec ?? {};
  checkHard(quota.child("spec.hard", hard));
  checkScopes(quota.child("spec.scopes", scopes), hard);
  quota.at("spec", "scopeSelector").ifSet((selector) => {
    const expressions = selector.value.matchExpressions ?? [];
    checkExpressions(selector.child("matchExpressions", expressions), hard);
    const names = expressions.map(({ scopeName }) => scopeName);
    checkConflicts(selector.child("scopes", scopes), names);
  });
}

/** Validates that the scopes are unchanged. */
function checkChange(quota: Check<ResourceQuota>, old: ResourceQuota): void {
  const now = quota.value.spec?.scopes ?? [];
  const before = old.spec?.scopes ?? [];
  const same =
    now.every((scope) => before.includes(scope)) && new Set(now).size === new Set(before).size;
  if (same) return;
  quota.at("spec", "scopes").invalid(IMMUTABLE, asGiven(quota.value.spec, "scopes"));
}

function checkStatus(quota: Check<ResourceQuota>): void {
  checkHard(quota.at("status", "hard"));
  checkHard(quota.at("status", "used"));
}

function checkHard(amounts: Check<ResourceList | undefined>): void {
  for (const [name, amount] of sorted(amounts.value ?? {})) {
    const entry = amounts.entry(name);
    checkResourceName(entry.as(name));
    if (!name.includes("/") && !isQuotaResource(name)) {
      entry.invalid("must be a standard resource for quota", name);
    }
    checkAmount(entry.as(amount), name);
  }
}

/** The names in `hard` that a scope cannot limit. */
const unfit = (scope: string, hard: ResourceList): string[] =>
  sorted(hard)
    .map(([name]) => name)
    .filter((name) => isQuotaResource(name) && SCOPES.get(scope)?.includes(name) === false);

const UNFIT = "unsupported scope applied to resource";

function checkScopes(scopes: Check<string[]>, hard: ResourceList): void {
  for (const scope of scopes.value) {
    if (!SCOPES.has(scope)) scopes.invalid("unsupported scope");
    unfit(scope, hard).forEach(() => scopes.invalid(UNFIT));
  }
  checkConflicts(scopes, scopes.value);
}

function checkConflicts(field: Check<unknown>, scopes: readonly string[]): void {
  for (const pair of CONFLICTS) {
    if (pair.every((scope) => scopes.includes(scope))) field.invalid("conflicting scopes");
  }
}

/** Validates the conditions on scopes; what is wrong is reported of the list. */
function checkExpressions(expressions: Check<ScopeExpression[]>, hard: ResourceList): void {
  const shown = {
    MatchExpressions: expressions.value.map(({ scopeName, operator, values = null }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values,
    })),
  };
  for (const expression of expressions.value) {
    const { scopeName } = expression;
    const field = expressions.as(expression);
    if (!SCOPES.has(scopeName)) field.at("scopeName").invalid("unsupported scope");
    unfit(scopeName, hard).forEach(() => field.invalid(UNFIT, shown));
    checkExpression(field);
  }
}

function checkExpression(expression: Check<ScopeExpression>): void {
  const { scopeName, operator, values: list = [] } = expression.value;
  const values = expression.at("values");
  if (EXISTS_ONLY.includes(scopeName) && operator !== "Exists") {
    expression
      .at("operator")
      .invalid(
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      );
  }
  if (operator === "In" || operator === "NotIn") {
    values.given(
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    );
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (list.length === 0) return;
    values.invalid(
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    );
  } else expression.at("operator").invalid("not a valid selector operator");
}

/** The cell with the requests or the limits of a quota: used and allowed amounts. */
const quota = (limits: boolean) => (object: SentObject) =>
  Object.entries(mapAt(object, "status.hard"))
    .filter(([resource]) => resource.startsWith("limits.") === limits)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([resource, hard]) => {
      const used = textOf(mapAt(object, "status.used")[resource], "0");
      return `${resource}: ${used}/${textOf(hard)}`;
    })
    .join(", ");

export const resourceQuotaRules: KindRules = {
  validate: checked(checkQuota),
  validateUpdate: checkedChange(checkChange),
  validateStatus: checkedChange(checkStatus),
  status: "all",
  table: { Request: quota(false), Limit: quota(true) },
  deletion: { answersObject: true },
};
