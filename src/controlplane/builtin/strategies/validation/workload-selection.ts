/**
 * Which pods a workload selects, and that its template makes such pods.
 *
 * @module
 */
import { type FieldError, invalidValue, required } from "../../../../kube/field-errors.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import { matchesLabelSelector } from "../../../../kube/selector.ts";
import type { PodTemplate } from "../pod-shapes.ts";
import type { LabelSelector } from "../shapes.ts";
import { immutable, selectorErrors, selectsNothing } from "./checks.ts";

/** What is said of a template whose labels the selector does not match. */
export const MISMATCH = "`selector` does not match template `labels`";
/** Where a workload has its template. */
export const TEMPLATE = "spec.template";

/** The selector of a workload, and that its template's labels match it. */
export function selectionErrors(
  selector: LabelSelector | undefined,
  template: PodTemplate,
  emptyMessage: string,
): FieldError[] {
  const labels = template.metadata?.labels;
  const mismatch = invalidValue(`${TEMPLATE}.metadata.labels`, labels ?? null, MISMATCH);
  if (!selector) return [required("spec.selector"), mismatch];
  const errors = selectorErrors("spec.selector", selector);
  if (errors.length > 0) {
    return [...errors, invalidValue("spec.selector", selector, "invalid label selector")];
  }
  if (selectsNothing(selector)) return [invalidValue("spec.selector", selector, emptyMessage)];
  return matchesLabelSelector(selector, labels) ? [] : [mismatch];
}

interface Selecting extends KubeObject {
  spec: { selector?: LabelSelector };
}

/** Selectors never change. */
export function selectorUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return immutable(
    "spec.selector",
    (object as Selecting).spec.selector,
    (old as Selecting).spec.selector,
  );
}
