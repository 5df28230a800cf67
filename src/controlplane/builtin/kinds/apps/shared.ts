/** Rules that the workloads of the group apps share. */
import { type FieldError, invalidValue, required } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { numberAt } from "../../at.ts";
import { immutableForm, selectsNothing } from "../../shared/checks.ts";
import type { PodTemplate } from "../../shared/pods/shapes.ts";
import type { IntOrString, LabelSelector } from "../../shared/shapes.ts";
import { mismatchErrors } from "../../shared/workloads/selection.ts";
import type { ReplicaStatus } from "../../shared/workloads/shapes.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import { column } from "../../tables/column.ts";

export const HISTORY = 10;

export interface Deployment extends SentObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: ReplicaStatus & {
    updatedReplicas?: number;
    unavailableReplicas?: number;
    collisionCount?: number;
  };
}

/** Whether a count or percentage is zero, invalid or absent. */
export const isZero = (value: IntOrString | undefined): boolean =>
  typeof value === "string"
    ? !/^[0-9]+%$|^[-+]?[0-9]+$/.test(value) || Number.parseInt(value, 10) === 0
    : (value ?? 0) === 0;

export const TEXTS = {
  empty: "empty selector is invalid for deployment",
  invalid: "invalid label selector",
};

/** A selector as messages show it. */
export const shownSelector = (selector: LabelSelector | undefined): unknown =>
  internalForm("*metav1.LabelSelector", selector);

/** The messages of a kind about an empty and an invalid selector. */
interface SelectionTexts {
  readonly empty: string;
  readonly invalid: string;
}

/**
 * Validates the selector of a workload and its template. The template is checked only when the
 * selector is valid.
 *
 * @param checkTemplate - validates the template itself
 */
export function selectionErrors(
  selector: LabelSelector | undefined,
  template: PodTemplate,
  texts: SelectionTexts,
  checkTemplate: () => FieldError[],
): FieldError[] {
  const field = "spec.selector";
  const errors = selector ? selectorErrors(field, selector) : [required(field)];
  const isWrong = selector !== undefined && errors.length > 0;
  if (selector && selectsNothing(selector)) {
    errors.push(invalidValue(field, shownSelector(selector), texts.empty));
  }
  return isWrong
    ? [...errors, invalidValue(field, shownSelector(selector), texts.invalid)]
    : [...errors, ...mismatchErrors(selector, template), ...checkTemplate()];
}

interface Selecting extends SentObject {
  spec: { selector?: LabelSelector };
}

/** Validates that the selector is unchanged. */
export function selectorUpdateErrors(object: Selecting, old: Selecting): FieldError[] {
  return immutableForm(
    "spec.selector",
    "*metav1.LabelSelector",
    object.spec.selector,
    old.spec.selector,
  );
}

interface Colliding extends SentObject {
  status?: { collisionCount?: number };
}

/** Validates that the count of name collisions never falls. */
export function collisionErrors(object: Colliding, previous: Colliding): FieldError[] {
  const { collisionCount: before } = previous.status ?? {};
  const { collisionCount: now } = object.status ?? {};
  return before !== undefined && (now === undefined || now < before)
    ? [invalidValue("status.collisionCount", now ?? 0, "cannot be decremented")]
    : [];
}

export const readyOfDesired = column(
  "Ready",
  (object) => `${numberAt(object, "status.readyReplicas")}/${numberAt(object, "spec.replicas")}`,
);
