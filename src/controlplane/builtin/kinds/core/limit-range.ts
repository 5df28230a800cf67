/** Rules of the kind LimitRange. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  required,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
} from "../../../../kube/values/quantity.ts";
import {
  containerResourceNameErrors,
  mayOvercommit,
  resourceNameErrors,
} from "../../shared/resource-names.ts";
import type { ResourceList } from "../../shared/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { sorted } from "./shared.ts";

/** Names a LimitRange without a name after its uid. */
function nameLimitRange({ metadata }: SentObject): void {
  metadata.name ||= metadata.uid ?? "";
}

/** Derives missing limits of containers from the given ones. */
function setLimitRangeDefaults(object: LimitRange): void {
  for (const limit of object.spec?.limits ?? []) {
    if (limit.type !== "Container") continue;
    const standard = { ...limit.max, ...limit.default };
    const request = { ...limit.min, ...standard, ...limit.defaultRequest };
    if (Object.keys(standard).length > 0) limit.default = standard;
    if (Object.keys(request).length > 0) limit.defaultRequest = request;
  }
}

/** An entry of a LimitRange. */
export interface Limit {
  type: string;
  max?: ResourceList;
  min?: ResourceList;
  default?: ResourceList;
  defaultRequest?: ResourceList;
  maxLimitRequestRatio?: ResourceList;
}

export interface LimitRange extends SentObject {
  spec?: { limits?: Limit[] | null };
}

const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

function limitRangeErrors(object: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (object.spec?.limits ?? []).flatMap((limit, index) => {
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

/** Validates the order of the amounts: minimum, default request, default, maximum. */
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

/** The rules of LimitRanges. */
export const limitRangeRules: KindRules = {
  validate: limitRangeErrors,
  createOnUpdate: true,
  prepareForCreate: nameLimitRange,
  setDefaults: setLimitRangeDefaults,
  metadataChecks: ["whole"],
};
