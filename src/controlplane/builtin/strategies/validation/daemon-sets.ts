/**
 * Validation of DaemonSets.
 *
 * @module
 */
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { DaemonSet } from "../workload-shapes.ts";
import { internalForm } from "../go-internal.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import { countOrPercent, isZero, notNegative, notOverHundred, selectsNothing } from "./checks.ts";
import { templateErrors } from "./pods.ts";
import {
  TEMPLATE,
  endlessErrors,
  mismatchErrors,
  selectorUpdateErrors,
  shownSelector,
} from "./workload-selection.ts";

export function daemonSetErrors(object: SentObject): FieldError[] {
  const { spec } = object as DaemonSet;
  const { selector, template } = spec;
  const wrong = selector ? selectorErrors("spec.selector", selector) : [];
  const emptyText = "empty selector is invalid for daemonset";
  return [
    ...wrong,
    ...(wrong.length > 0 ? [] : mismatchErrors(selector, template)),
    ...(selector && selectsNothing(selector)
      ? [invalidValue("spec.selector", shownSelector(selector), emptyText)]
      : []),
    ...templateErrors(TEMPLATE, template),
    ...endlessErrors("DaemonSet", template),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...daemonStrategyErrors(spec.updateStrategy),
    ...notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

export function daemonSetUpdateErrors(object: SentObject, old: SentObject): FieldError[] {
  return [...selectorUpdateErrors(object, old), ...daemonSetErrors(object)];
}

function daemonStrategyErrors({
  type = "",
  rollingUpdate,
}: DaemonSet["spec"]["updateStrategy"]): FieldError[] {
  const field = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.DaemonSetUpdateStrategy", { type, rollingUpdate });
    return [notSupported(field, shown, ["RollingUpdate", "OnDelete"])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const at = `${field}.rollingUpdate`;
  const errors = [
    ...countOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${at}.maxSurge`, maxSurge),
    ...notOverHundred(`${at}.maxUnavailable`, maxUnavailable),
    ...notOverHundred(`${at}.maxSurge`, maxSurge),
  ];
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(
      invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"),
    );
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
  return errors;
}
