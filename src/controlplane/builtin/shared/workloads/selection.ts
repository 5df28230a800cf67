/** Validation of the selector of a workload and of the labels of its template. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
} from "../../../../kube/field-errors.ts";
import { matchesLabelSelector } from "../../../../kube/selectors/selector.ts";
import { asGiven } from "../../strategies/emptied.ts";
import { selectsNothing } from "../checks.ts";
import { templateErrors } from "../pods/pod-spec.ts";
import type { PodTemplate } from "../pods/shapes.ts";
import type { LabelSelector } from "../shapes.ts";

/** The message about a template whose labels the selector does not match. */
export const MISMATCH = "`selector` does not match template `labels`";

/** The path of the template of a workload. */
export const TEMPLATE = "spec.template";

/**
 * Validates that the selector selects the template's pods; an empty selector has been refused
 * before.
 */
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

/**
 * Validates the pods of a workload that keeps their number: they always restart and have no
 * deadline.
 */
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

/** Validates the template of a workload that keeps the number of its pods. */
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
