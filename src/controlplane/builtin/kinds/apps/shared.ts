/**
 * What the workloads of the group apps have in common.
 *
 * @module
 */
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

/** Whether a count or percentage is nothing, or not given. */
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

/** How a kind puts what is wrong with its selector. */
interface SelectionTexts {
  readonly empty: string;
  readonly invalid: string;
}

/**
 * The selector of a workload and its template: a template is looked at only when the selector is one.
 *
 * @param checkTemplate - what is wrong with the template itself
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

/** Selectors never change. */
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

/** The count of collisions of names only grows. */
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
