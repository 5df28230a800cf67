/** Validation of the spec of a PersistentVolumeClaim, which claim templates contain too. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  required,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { oneOf } from "../checks.ts";
import { amountErrors } from "../resource-names.ts";
import type { PersistentVolumeClaimSpec } from "../shapes.ts";
import { templateMetadataErrors } from "../workloads/template-metadata.ts";
import { VOLUME_MODES, accessModeErrors, positiveErrors } from "./volume-spec.ts";

/** Validates the spec of a claim, or of a claim template. */
export function claimSpecErrors(field: string, spec: PersistentVolumeClaimSpec): FieldError[] {
  const { accessModes = [], selector, resources, storageClassName, volumeMode } = spec;
  const { dataSource, dataSourceRef } = spec;
  const errors: FieldError[] = [];
  if (accessModes.length === 0) {
    errors.push(required(`${field}.accessModes`, "at least 1 access mode is required"));
  }
  if (selector) errors.push(...selectorErrors(`${field}.selector`, selector));
  errors.push(...accessModeErrors(`${field}.accessModes`, accessModes));
  const amount = resources?.requests?.["storage"];
  const at = `${field}.resources[storage]`;
  if (amount === undefined) errors.push(required(at));
  else {
    const small = positiveErrors(at, amount);
    errors.push(...(small.length > 0 ? small : amountErrors(at, "storage", amount)));
  }
  if (storageClassName) {
    errors.push(
      ...nameErrorsAt(`${field}.storageClassName`, storageClassName, dns1123SubdomainErrors),
    );
  }
  if (volumeMode !== undefined) {
    errors.push(...oneOf(`${field}.volumeMode`, volumeMode, VOLUME_MODES));
  }
  if (dataSource) errors.push(...sourceErrors(`${field}.dataSource`, dataSource));
  if (dataSourceRef) errors.push(...sourceErrors(`${field}.dataSourceRef`, dataSourceRef));
  if (dataSourceRef?.namespace) {
    if (dataSource) {
      errors.push(
        invalidValue(field, {}, "may not be specified when dataSourceRef.namespace is specified"),
      );
    }
  } else if (dataSource && dataSourceRef && !sameJson(dataSource, dataSourceRef)) {
    errors.push(invalidValue(field, {}, "must match dataSourceRef"));
  }
  const { volumeAttributesClassName: attributes } = spec;
  return attributes
    ? [
        ...errors,
        ...nameErrorsAt(`${field}.volumeAttributesClassName`, attributes, dns1123SubdomainErrors),
      ]
    : errors;
}

/** Validates the claim template of an ephemeral volume. */
export function claimTemplateErrors(
  field: string,
  template: { metadata?: ObjectMeta; spec: PersistentVolumeClaimSpec } | undefined,
): FieldError[] {
  if (!template) return [required(field)];
  const { metadata = {}, spec } = template;
  return [
    ...templateMetadataErrors(`${field}.metadata`, metadata),
    ...claimSpecErrors(`${field}.spec`, spec),
  ];
}

function sourceErrors(
  at: string,
  { apiGroup, kind, name }: { apiGroup?: string | null; kind: string; name: string },
): FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${at}.name`));
  if (kind === "") errors.push(required(`${at}.kind`));
  if (!apiGroup) {
    if (kind === "PersistentVolumeClaim") return errors;
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    return [...errors, invalidValue(at, kind, detail)];
  }
  return [...errors, ...nameErrorsAt(`${at}.apiGroup`, apiGroup, dns1123SubdomainErrors)];
}
