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
import type { KubeObject } from "../../../../kube/object.ts";
import type { DaemonSet } from "../workload-shapes.ts";
import { countOrPercent, isZero, notNegative, notOverHundred } from "./checks.ts";
import { alwaysRestarts, templateErrors } from "./pods.ts";
import { TEMPLATE, selectionErrors } from "./workload-selection.ts";

export function daemonSetErrors(object: KubeObject): FieldError[] {
  const { spec } = object as DaemonSet;
  return [
    ...selectionErrors(spec.selector, spec.template, "empty selector is invalid for daemonset"),
    ...templateErrors(TEMPLATE, spec.template),
    ...alwaysRestarts(TEMPLATE, spec.template),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...daemonStrategyErrors(spec.updateStrategy),
    ...notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

function daemonStrategyErrors({
  type = "",
  rollingUpdate = {},
}: DaemonSet["spec"]["updateStrategy"]): FieldError[] {
  const field = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: null };
    return [notSupported(field, shown, ["RollingUpdate", "OnDelete"])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const at = `${field}.rollingUpdate`;
  const errors = [
    ...countOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...notOverHundred(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${at}.maxSurge`, maxSurge),
    ...notOverHundred(`${at}.maxSurge`, maxSurge),
  ];
  if (errors.length > 0) return errors;
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(
      invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"),
    );
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
  return errors;
}
