/** Validation of the selector of a workload and of the labels of its template. */
import type { Check } from "../../../../kube/check.ts";
import { matchesLabelSelector } from "../../../../kube/selectors/selector.ts";
import { asGiven } from "../../go/emptied.ts";
import { selectsNothing } from "../checks.ts";
import { checkTemplate } from "./pod-spec.ts";
import type { PodTemplate } from "../pods/pod-shapes.ts";
import type { LabelSelector } from "../shapes.ts";

/**
 * Validates that the selector selects the template's pods; an empty selector has been refused
 * before.
 */
export function checkSelection(
  template: Check<PodTemplate>,
  selector: LabelSelector | undefined,
): void {
  const { metadata } = template.value;
  const labels = metadata?.labels;
  if (selector && (selectsNothing(selector) || matchesLabelSelector(selector, labels))) return;
  const detail = "`selector` does not match template `labels`";
  template.at("metadata", "labels").invalid(detail, asGiven(metadata, "labels"));
}

/**
 * Validates the pods of a workload that keeps their number: they always restart and have no
 * deadline.
 */
export function checkEndless(template: Check<PodTemplate>, kind: string): void {
  const deadline = template.at("spec", "activeDeadlineSeconds");
  template.at("spec", "restartPolicy").oneOf(["Always"]);
  if (deadline.value === undefined) return;
  deadline.forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
}

/** Validates the template of a workload that keeps the number of its pods. */
export function checkReplicatedTemplate(
  template: Check<PodTemplate>,
  kind: string,
  replicas = 0,
): void {
  checkTemplate(template);
  template.at("spec", "volumes").each((volume) => {
    const { gcePersistentDisk: disk } = volume.value;
    if (replicas <= 1 || !disk || disk.readOnly === true) return;
    volume
      .child("gcePersistentDisk.readOnly", false)
      .invalid(
        "must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only",
      );
  });
  checkEndless(template, kind);
}
