/** Validation of new pods. */
import { type FieldError, forbidden } from "../../../../../kube/field-errors.ts";
import { imageErrors } from "../../../shared/pods/containers.ts";
import { podAnnotationErrors, podSpecErrors } from "../../../shared/pods/pod-spec.ts";
import type { PodSpec } from "../../../shared/pods/shapes.ts";
import type { Pod } from "./shape.ts";

/** Validates a Pod, new or changed. */
export function podErrors(object: Pod): FieldError[] {
  const { metadata, spec } = object;
  const errors = [
    ...podAnnotationErrors("metadata.annotations", metadata, spec),
    ...podSpecErrors("spec", spec, metadata.name ?? ""),
  ];
  if (!spec.serviceAccountName) errors.push(...tokenErrors(spec));
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      errors.push(...imageErrors(`spec.${list}[${index}]`, container));
    }
  }
  return errors;
}

/** Validates that a pod without a service account projects no token. */
const tokenErrors = (spec: PodSpec): FieldError[] =>
  (spec.volumes ?? []).flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap((source, position) =>
      source.serviceAccountToken
        ? [
            forbidden(
              `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ]
        : [],
    ),
  );

/** Validates the rules that only a new Pod must meet. */
export function newPodErrors(object: Pod): FieldError[] {
  const { spec } = object;
  const errors: FieldError[] = [];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if ((spec.schedulingGates ?? []).length > 0 && spec.nodeName) {
    errors.push(
      forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"),
    );
  }
  return errors;
}
