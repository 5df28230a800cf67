/**
 * Which pods a workload selects, and that its template makes such pods.
 *
 * @module
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { matchesLabelSelector } from "../../../../kube/selector.ts";
import { internalForm } from "../go-internal.ts";
import type { PodTemplate } from "../pod-shapes.ts";
import type { LabelSelector } from "../shapes.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import { immutableForm, selectsNothing } from "./checks.ts";
import { templateErrors } from "./pods.ts";
import { asGiven } from "../emptied.ts";

/** What is said of a template whose labels the selector does not match. */
export const MISMATCH = "`selector` does not match template `labels`";
/** Where a workload has its template. */
export const TEMPLATE = "spec.template";

/** A selector as messages show it. */
export const shownSelector = (selector: LabelSelector | undefined): unknown =>
  internalForm("*metav1.LabelSelector", selector);

/** That a template makes pods that its selector selects; an empty selector has been refused before. */
export function mismatchErrors(
  selector: LabelSelector | undefined,
  template: PodTemplate,
): FieldError[] {
  const labels = template.metadata?.labels;
  if (selector && (selectsNothing(selector) || matchesLabelSelector(selector, labels))) return [];
  return [
    invalidValue(`${TEMPLATE}.metadata.labels`, asGiven(template.metadata, "labels"), MISMATCH),
  ];
}

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
export function selectorUpdateErrors(object: SentObject, old: SentObject): FieldError[] {
  return immutableForm(
    "spec.selector",
    "*metav1.LabelSelector",
    (object as Selecting).spec.selector,
    (old as Selecting).spec.selector,
  );
}

/** Pods of a workload that keeps their number run for ever: they restart always and have no deadline. */
export function endlessErrors(kind: string, { spec }: PodTemplate): FieldError[] {
  const { restartPolicy = "", activeDeadlineSeconds } = spec;
  const errors =
    restartPolicy === "Always"
      ? []
      : [notSupported(`${TEMPLATE}.spec.restartPolicy`, restartPolicy, ["Always"])];
  if (activeDeadlineSeconds === undefined) return errors;
  const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
  return [...errors, forbidden(`${TEMPLATE}.spec.activeDeadlineSeconds`, detail)];
}

/** The template of a workload that keeps the number of its pods. */
export function replicatedTemplateErrors(
  kind: string,
  template: PodTemplate,
  replicas = 0,
): FieldError[] {
  const disks = replicas > 1 ? (template.spec.volumes ?? []) : [];
  return [
    ...templateErrors(TEMPLATE, template),
    ...disks.flatMap(({ gcePersistentDisk: disk }, index) =>
      disk && disk.readOnly !== true
        ? [
            invalidValue(
              `${TEMPLATE}.spec.volumes[${index}].gcePersistentDisk.readOnly`,
              false,
              "must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only",
            ),
          ]
        : [],
    ),
    ...endlessErrors(kind, template),
  ];
}
