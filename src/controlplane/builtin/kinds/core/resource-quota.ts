/** Rules of the kind ResourceQuota. */
import { type FieldError, invalidValue, required } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { mapAt, textOf } from "../../at.ts";
import { IMMUTABLE } from "../../shared/checks.ts";
import { amountErrors, isQuotaResource, resourceNameErrors } from "../../shared/resource-names.ts";
import type { ResourceList, ResourceQuota } from "../../shared/shapes.ts";
import { asGiven } from "../../strategies/emptied.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer } from "../../tables/column.ts";
import { sorted } from "./shared.ts";

interface ScopeExpression {
  scopeName: string;
  operator: string;
  values?: string[];
}

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
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: POD_RESOURCES,
  NotTerminating: POD_RESOURCES,
  NotBestEffort: POD_RESOURCES,
  PriorityClass: POD_RESOURCES,
  CrossNamespacePodAffinity: POD_RESOURCES,
  BestEffort: ["pods"],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};

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

function resourceQuotaErrors(object: ResourceQuota): FieldError[] {
  const { hard = {}, scopes = [], scopeSelector } = object.spec ?? {};
  return [
    ...hardErrors("spec.hard", hard),
    ...scopesErrors(scopes, hard),
    ...(scopeSelector ? selectorScopesErrors(scopeSelector, scopes, hard) : []),
  ];
}

/** Validates that the scopes are unchanged. */
function resourceQuotaUpdateErrors(object: ResourceQuota, previous: SentObject): FieldError[] {
  const scopesOf = (quota: ResourceQuota): string[] => quota.spec?.scopes ?? [];
  const now = scopesOf(object);
  const before = scopesOf(previous);
  const same =
    now.every((scope) => before.includes(scope)) && new Set(now).size === new Set(before).size;
  return same ? [] : [invalidValue("spec.scopes", asGiven(object.spec, "scopes"), IMMUTABLE)];
}

function resourceQuotaStatusErrors(object: ResourceQuota): FieldError[] {
  const { hard = {}, used = {} } = object.status ?? {};
  return [...hardErrors("status.hard", hard), ...hardErrors("status.used", used)];
}

function hardErrors(field: string, amounts: ResourceList): FieldError[] {
  return sorted(amounts).flatMap(([name, amount]) => {
    const at = `${field}[${name}]`;
    const errors = resourceNameErrors(at, name);
    if (!name.includes("/") && !isQuotaResource(name)) {
      errors.push(invalidValue(at, name, "must be a standard resource for quota"));
    }
    return [...errors, ...amountErrors(at, name, amount)];
  });
}

/** The names in `hard` that a scope cannot limit. */
const unfit = (scope: string, hard: ResourceList): string[] =>
  sorted(hard)
    .map(([name]) => name)
    .filter((name) => isQuotaResource(name) && SCOPES[scope]?.includes(name) === false);

function scopesErrors(scopes: readonly string[], hard: ResourceList): FieldError[] {
  const field = "spec.scopes";
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES[scope] ? [] : [invalidValue(field, scopes, "unsupported scope")]),
    ...unfit(scope, hard).map(() =>
      invalidValue(field, scopes, "unsupported scope applied to resource"),
    ),
  ]);
  return [...errors, ...conflictErrors(field, scopes, scopes)];
}

const conflictErrors = (
  field: string,
  scopes: readonly string[],
  shown: readonly string[],
): FieldError[] =>
  CONFLICTS.flatMap((pair) =>
    pair.every((scope) => scopes.includes(scope))
      ? [invalidValue(field, shown, "conflicting scopes")]
      : [],
  );

function selectorScopesErrors(
  selector: NonNullable<NonNullable<ResourceQuota["spec"]>["scopeSelector"]>,
  scopes: readonly string[],
  hard: ResourceList,
): FieldError[] {
  const field = "spec.scopeSelector.matchExpressions";
  const expressions = selector.matchExpressions ?? [];
  const shown = {
    MatchExpressions: expressions.map(({ scopeName, operator, values = null }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values,
    })),
  };
  const errors = expressions.flatMap((expression) => [
    ...(SCOPES[expression.scopeName]
      ? []
      : [invalidValue(`${field}.scopeName`, expression.scopeName, "unsupported scope")]),
    ...unfit(expression.scopeName, hard).map(() =>
      invalidValue(field, shown, "unsupported scope applied to resource"),
    ),
    ...expressionErrors(field, expression),
  ]);
  const names = expressions.map(({ scopeName }) => scopeName);
  return [...errors, ...conflictErrors("spec.scopeSelector.scopes", names, scopes)];
}

function expressionErrors(
  field: string,
  { scopeName, operator, values = [] }: ScopeExpression,
): FieldError[] {
  const errors: FieldError[] = [];
  if (EXISTS_ONLY.includes(scopeName) && operator !== "Exists") {
    errors.push(
      invalidValue(
        `${field}.operator`,
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      ),
    );
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(
        required(
          `${field}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.push(
        invalidValue(
          `${field}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
    }
  } else errors.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
  return errors;
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

/** The rules of ResourceQuotas. */
export const resourceQuotaRules: KindRules = {
  validate: resourceQuotaErrors,
  validateUpdate: resourceQuotaUpdateErrors,
  validateStatus: resourceQuotaStatusErrors,
  status: "all",
  table: printer([
    nameColumn,
    column("Request", quota(false)),
    column("Limit", quota(true)),
    ageColumn,
  ]),
  deletion: { answersObject: true },
  columnTexts: {
    Request: "Request represents a minimum amount of cpu/memory that a container may consume.",
    Limit:
      "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
  },
};
