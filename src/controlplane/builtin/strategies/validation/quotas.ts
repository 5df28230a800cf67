/**
 * Validation of ResourceQuotas and LimitRanges.
 *
 * @module
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  required,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { type Quantity, compareQuantities, parseQuantity } from "../../../../kube/quantity.ts";
import type { Limit, LimitRange, ResourceList } from "../shapes.ts";
import { IMMUTABLE } from "./checks.ts";
import {
  amountErrors,
  containerResourceNameErrors,
  isQuotaResource,
  mayOvercommit,
  resourceNameErrors,
} from "./resource-names.ts";
import { asGiven } from "../emptied.ts";

interface ScopeExpression {
  scopeName: string;
  operator: string;
  values?: string[];
}

interface ResourceQuota extends SentObject {
  spec?: {
    hard?: ResourceList;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeExpression[] };
  };
  status?: { hard?: ResourceList; used?: ResourceList };
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
/** What each scope can be used for. */
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

export function resourceQuotaErrors(object: SentObject): FieldError[] {
  const { hard = {}, scopes = [], scopeSelector } = (object as ResourceQuota).spec ?? {};
  return [
    ...hardErrors("spec.hard", hard),
    ...scopesErrors(scopes, hard),
    ...(scopeSelector ? selectorScopesErrors(scopeSelector, scopes, hard) : []),
  ];
}

/** Scopes stay as they are. */
export function resourceQuotaUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const scopesOf = (quota: SentObject): string[] => (quota as ResourceQuota).spec?.scopes ?? [];
  const now = scopesOf(object);
  const before = scopesOf(previous);
  const same =
    now.every((scope) => before.includes(scope)) && new Set(now).size === new Set(before).size;
  return same
    ? []
    : [invalidValue("spec.scopes", asGiven((object as ResourceQuota).spec, "scopes"), IMMUTABLE)];
}

export function resourceQuotaStatusErrors(object: SentObject): FieldError[] {
  const { hard = {}, used = {} } = (object as ResourceQuota).status ?? {};
  return [...hardErrors("status.hard", hard), ...hardErrors("status.used", used)];
}

const sorted = (amounts: ResourceList): [string, string][] =>
  Object.entries(amounts).toSorted(([left], [right]) => (left < right ? -1 : 1));

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

/** The names among `hard` that a scope does not fit. */
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

const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

export function limitRangeErrors(object: SentObject): FieldError[] {
  const types = new Set<string>();
  return ((object as LimitRange).spec?.limits ?? []).flatMap((limit, index) => {
    const at = `spec.limits[${index}]`;
    const errors = limitTypeErrors(`${at}.type`, limit.type);
    if (types.has(limit.type)) errors.push(duplicate(`${at}.type`, limit.type));
    types.add(limit.type);
    return [...errors, ...limitNameErrors(at, limit), ...limitOrderErrors(at, limit)];
  });
}

function limitTypeErrors(field: string, type: string): FieldError[] {
  const errors = qualifiedNameErrors(type).map((detail) => invalidValue(field, type, detail));
  if (errors.length > 0 || type.includes("/") || LIMIT_TYPES.includes(type)) return errors;
  return [invalidValue(field, type, "must be a standard limit type or fully qualified")];
}

function limitNameErrors(at: string, limit: Limit): FieldError[] {
  const isPod = limit.type === "Pod";
  const check =
    isPod || limit.type === "Container" ? containerResourceNameErrors : resourceNameErrors;
  const names = (
    part: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio",
  ): FieldError[] =>
    sorted(limit[part] ?? {}).flatMap(([name]) => check(`${at}.${part}[${name}]`, name));
  const errors = [...names("max"), ...names("min")];
  if (isPod) {
    for (const part of ["default", "defaultRequest"] as const) {
      if (Object.keys(limit[part] ?? {}).length > 0) {
        errors.push(forbidden(`${at}.${part}`, "may not be specified when `type` is 'Pod'"));
      }
    }
  } else errors.push(...names("default"), ...names("defaultRequest"));
  if (
    limit.type === "PersistentVolumeClaim" &&
    limit.min?.["storage"] === undefined &&
    limit.max?.["storage"] === undefined
  ) {
    errors.push(
      required(
        `${at}.limits`,
        "either minimum or maximum storage value is required, but neither was provided",
      ),
    );
  }
  return [...errors, ...names("maxLimitRequestRatio")];
}

/** Smallest, default request, default and largest amount must stand in this order. */
function limitOrderErrors(at: string, limit: Limit): FieldError[] {
  const isPod = limit.type === "Pod";
  const standards = isPod ? {} : (limit.default ?? {});
  const requests = isPod ? {} : (limit.defaultRequest ?? {});
  const { min: mins = {}, max: maxs = {}, maxLimitRequestRatio: ratios = {} } = limit;
  const names = new Set(
    [maxs, mins, standards, requests, ratios].flatMap((amounts) => Object.keys(amounts)),
  );
  return [...names].toSorted().flatMap((name) => {
    const [min, max] = [mins[name], maxs[name]];
    const [standard, request] = [standards[name], requests[name]];
    const field = (part: string): string => `${at}.${part}[${name}]`;
    return [
      ...above(field("min"), min, ["min value", min], ["max value", max]),
      ...above(
        field("defaultRequest"),
        request,
        ["min value", min],
        ["default request value", request],
      ),
      ...above(
        field("defaultRequest"),
        request,
        ["default request value", request],
        ["max value", max],
      ),
      ...above(
        field("defaultRequest"),
        request,
        ["default request value", request],
        ["default limit value", standard],
      ),
      ...above(field("default"), min, ["min value", min], ["default value", standard]),
      ...above(field("default"), max, ["default value", standard], ["max value", max]),
      ...ratioErrors(field("maxLimitRequestRatio"), ratios[name], min, max),
      ...(!mayOvercommit(name) &&
      standard !== undefined &&
      request !== undefined &&
      standard !== request
        ? [
            invalidValue(
              field("defaultRequest"),
              request,
              `default value ${standard} must equal to defaultRequest value ${request} in ${name}`,
            ),
          ]
        : []),
    ];
  });
}

type Named = readonly [text: string, amount: string | undefined];

function above(
  field: string,
  shown: string | undefined,
  [smallText, small]: Named,
  [largeText, large]: Named,
): FieldError[] {
  if (small === undefined || large === undefined) return [];
  return compareQuantities(parseQuantity(small), parseQuantity(large)) > 0
    ? [invalidValue(field, shown, `${smallText} ${small} is greater than ${largeText} ${large}`)]
    : [];
}

function ratioErrors(
  field: string,
  ratio: string | undefined,
  min: string | undefined,
  max: string | undefined,
): FieldError[] {
  if (ratio === undefined) return [];
  const valueOf = ({ nanos }: Quantity): number => Number(nanos) / 1e9;
  const value = valueOf(parseQuantity(ratio));
  const errors = value < 1 ? [invalidValue(field, ratio, `ratio ${ratio} is less than 1`)] : [];
  if (min === undefined || max === undefined) return errors;
  const highest = valueOf(parseQuantity(max)) / valueOf(parseQuantity(min));
  if (value <= highest) return errors;
  const detail = `ratio ${ratio} is greater than max/min = ${highest.toFixed(6)}`;
  return [...errors, invalidValue(field, ratio, detail)];
}
