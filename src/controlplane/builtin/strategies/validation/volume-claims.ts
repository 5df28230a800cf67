/**
 * Validation of PersistentVolumeClaims.
 *
 * @module
 */
import { sameJson } from "../../../../kube/json.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject, ObjectMeta } from "../../../../kube/object.ts";
import { compareQuantities, parseQuantity } from "../../../../kube/quantity.ts";
import { asGiven } from "../emptied.ts";
import { formDifference } from "../go-internal.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, ResourceList } from "../shapes.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import { immutable, oneOf } from "./checks.ts";
import { accessModeErrors, positiveErrors, VOLUME_MODES } from "./persistent-volumes.ts";
import { amountErrors } from "./resource-names.ts";
import { templateMetadataErrors } from "./template-metadata.ts";

export function claimErrors(object: SentObject): FieldError[] {
  return claimSpecErrors("spec", (object as PersistentVolumeClaim).spec);
}

/** What is wrong with the spec of a claim, or of a template of claims. */
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

/** What is wrong with a claim that a pod brings along. */
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

const CLAIM_UPDATES =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

/** A bound claim may grow; else its spec stays. */
export function claimUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const { spec, status, metadata } = object as PersistentVolumeClaim;
  const { spec: old, status: oldStatus, metadata: oldMetadata } = previous as PersistentVolumeClaim;
  const errors = claimErrors(object);
  const annotated = metadata.annotations?.[CLASS_ANNOTATION];
  const oldAnnotated = oldMetadata.annotations?.[CLASS_ANNOTATION];
  const movesClass =
    oldAnnotated !== undefined &&
    old.storageClassName === undefined &&
    spec.storageClassName === oldAnnotated &&
    (annotated === undefined || annotated === oldAnnotated);
  if (!movesClass && (annotated ?? "") !== (oldAnnotated ?? "")) {
    const field = `metadata.annotations[${CLASS_ANNOTATION}]`;
    errors.push(invalidValue(field, annotated ?? "", "field is immutable"));
  }
  const settled = { ...spec };
  const gainsClass =
    old.storageClassName === undefined &&
    spec.storageClassName !== undefined &&
    (oldAnnotated === undefined || oldAnnotated === spec.storageClassName);
  if (movesClass || gainsClass) delete settled.storageClassName;
  const bound = status?.phase === "Bound";
  const difference = formDifference(
    "core.PersistentVolumeClaimSpec",
    { ...old, volumeName: old.volumeName ? old.volumeName : spec.volumeName },
    bound ? withFixedSize(settled, old) : settled,
  );
  if (difference !== "") errors.push(forbidden("spec", `${CLAIM_UPDATES}\n${difference}`));
  const sizeOf = (amounts: ResourceList | undefined): ReturnType<typeof parseQuantity> =>
    parseQuantity(amounts?.["storage"] ?? "0");
  const size = sizeOf(spec.resources?.requests);
  if (
    compareQuantities(size, sizeOf(old.resources?.requests)) < 0 &&
    compareQuantities(size, sizeOf(oldStatus?.capacity)) <= 0
  ) {
    errors.push(
      forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"),
    );
  }
  errors.push(...immutable("volumeMode", spec.volumeMode, old.volumeMode));
  const { volumeAttributesClassName: attributes } = spec;
  const current = oldStatus?.currentVolumeAttributesClassName;
  if (attributes !== old.volumeAttributesClassName && current !== undefined && !attributes) {
    const what = attributes === undefined ? "nil" : "empty string";
    const detail = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
    errors.push(forbidden("spec.volumeAttributesClassName", detail));
  }
  return errors;
}

/** The claim as if nobody had asked for another size or other attributes. */
function withFixedSize(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec,
): PersistentVolumeClaimSpec {
  const kept = old.volumeAttributesClassName;
  const settled = { ...spec, ...(kept === undefined ? {} : { volumeAttributesClassName: kept }) };
  if (kept === undefined) delete settled.volumeAttributesClassName;
  const requests = asGiven(spec.resources, "requests");
  if (requests === null) return settled;
  const storage = old.resources?.requests?.["storage"] ?? "0";
  return {
    ...settled,
    resources: { ...spec.resources, requests: { ...(requests as ResourceList), storage } },
  };
}

const RESIZING = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** What a write to the status of a claim may say. */
export function claimStatusErrors(object: SentObject): FieldError[] {
  const { spec, status = {} } = object as PersistentVolumeClaim;
  const errors = (spec.accessModes ?? []).length === 0 ? [required("Spec.accessModes")] : [];
  const amountsErrors = (field: string, amount: string): FieldError[] => {
    const { nanos } = parseQuantity(amount);
    return nanos < 0n
      ? [invalidValue(field, Number(nanos / 1_000_000_000n), "must be a valid resource quantity")]
      : [];
  };
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    errors.push(...amountsErrors(`status.capacity[${name}]`, amount));
  }
  const statuses = "status.allocatedResourceStatuses";
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...claimResourceErrors(statuses, name));
    if (!RESIZING.includes(state)) errors.push(notSupported(statuses, name, RESIZING));
  }
  const allocated = "status.allocatedResources";
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    const unknown = claimResourceErrors(allocated, name);
    const field = `${allocated}[${name}]`;
    const wrong = unknown.length > 0 ? unknown : amountsErrors(field, amount);
    errors.push(...(wrong.length > 0 ? wrong : amountErrors(field, "storage", amount)));
  }
  return errors;
}

/** Storage, or a resource of somebody else's. */
function claimResourceErrors(field: string, name: string): FieldError[] {
  const errors = nameErrorsAt(field, name, qualifiedNameErrors);
  if (errors.length > 0) return errors;
  if (name === "storage") return [];
  const isOwn = name.includes("/") && !name.includes("kubernetes.io/");
  return isOwn ? [] : [notSupported(field, name, ["storage"])];
}
