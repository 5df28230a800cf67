import type * as core from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { getField } from "../../../../kube/json.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { compareAmounts, parseQuantity } from "../../../../kube/values/quantity.ts";
import {
  checkContainerResourceName,
  checkResourceName,
  mayOvercommit,
} from "../../shared/resource-names.ts";
import { checked } from "../../shared/checks.ts";
import type { ResourceList, Shaped, ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { sorted } from "./shared.ts";

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

export type Limit = Shaped<core.LimitRangeItem>;

export type LimitRange = ShapedObject<core.LimitRange>;

const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

function checkLimitRange(range: Check<LimitRange>): void {
  const types = new Set<string>();
  range.at("spec", "limits").each((limit) => {
    const type = limit.at("type");
    const isKnown = type.value.includes("/") || LIMIT_TYPES.includes(type.value);
    if (type.named(qualifiedNameErrors) && !isKnown) {
      type.invalid("must be a standard limit type or fully qualified");
    }
    type.uniqueIn(types);
    checkNames(limit);
    checkOrder(limit);
  });
}

function checkNames(limit: Check<Limit>): void {
  const { type, min = {}, max = {} } = limit.value;
  const isPod = type === "Pod";
  const checkName = isPod || type === "Container" ? checkContainerResourceName : checkResourceName;
  const check = (amounts: Check<ResourceList | undefined>): void => {
    for (const [name] of sorted(amounts.value ?? {})) {
      checkName(amounts.entry(name).as(name));
    }
  };
  check(limit.at("max"));
  check(limit.at("min"));
  for (const part of ["default", "defaultRequest"] as const) {
    const amounts = limit.at(part);
    if (!isPod) check(amounts);
    else if (Object.keys(amounts.value ?? {}).length > 0) {
      amounts.forbidden("may not be specified when `type` is 'Pod'");
    }
  }
  const isSized = min["storage"] !== undefined || max["storage"] !== undefined;
  if (type === "PersistentVolumeClaim" && !isSized) {
    limit
      .child("limits", limit.value)
      .required("either minimum or maximum storage value is required, but neither was provided");
  }
  check(limit.at("maxLimitRequestRatio"));
}

/** Validates the order of the amounts: minimum, default request, default, maximum. */
function checkOrder(limit: Check<Limit>): void {
  const isPod = limit.value.type === "Pod";
  const standards = isPod ? {} : (limit.value.default ?? {});
  const requests = isPod ? {} : (limit.value.defaultRequest ?? {});
  const { min: mins = {}, max: maxs = {}, maxLimitRequestRatio: ratios = {} } = limit.value;
  const names = new Set(
    [maxs, mins, standards, requests, ratios].flatMap((amounts) => Object.keys(amounts)),
  );
  for (const name of [...names].toSorted()) {
    const [min, max] = [getField(mins, name), getField(maxs, name)];
    const [standard, request] = [getField(standards, name), getField(requests, name)];
    const least = ["min value", min] as const;
    const most = ["max value", max] as const;
    const asked = ["default request value", request] as const;
    const requestField = limit.child(`defaultRequest[${name}]`, request);
    checkNotAbove(limit.child(`min[${name}]`, min), least, most);
    checkNotAbove(requestField, least, asked);
    checkNotAbove(requestField, asked, most);
    checkNotAbove(requestField, asked, ["default limit value", standard]);
    checkNotAbove(limit.child(`default[${name}]`, min), least, ["default value", standard]);
    checkNotAbove(limit.child(`default[${name}]`, max), ["default value", standard], most);
    checkRatio(limit.child(`maxLimitRequestRatio[${name}]`, getField(ratios, name)), min, max);
    if (mayOvercommit(name) || standard === undefined || request === undefined) continue;
    if (standard === request) continue;
    requestField.invalid(
      `default value ${standard} must equal to defaultRequest value ${request} in ${name}`,
    );
  }
}

type Named = readonly [text: string, amount: string | undefined];

function checkNotAbove(
  field: Check<string | undefined>,
  [smallText, small]: Named,
  [largeText, large]: Named,
): void {
  if (small === undefined || large === undefined) return;
  if (compareAmounts(small, large) <= 0) return;
  field.invalid(`${smallText} ${small} is greater than ${largeText} ${large}`);
}

function checkRatio(
  field: Check<string | undefined>,
  min: string | undefined,
  max: string | undefined,
): void {
  const { value: ratio } = field;
  if (ratio === undefined) return;
  const valueOf = (amount: string): number => Number(parseQuantity(amount).nanos) / 1e9;
  const value = valueOf(ratio);
  if (value < 1) field.invalid(`ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const highest = valueOf(max) / valueOf(min);
  if (value <= highest) return;
  field.invalid(`ratio ${ratio} is greater than max/min = ${highest.toFixed(6)}`);
}

export const limitRangeRules: KindRules = {
  validate: checked(checkLimitRange),
  createOnUpdate: true,
  prepareForCreate({ metadata }) {
    metadata.name ||= metadata.uid ?? "";
  },
  setDefaults: setLimitRangeDefaults,
  metadataChecks: ["whole"],
};
