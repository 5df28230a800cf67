/** Rules of the kind PersistentVolumeClaim. */
import { STORAGE_CLASSES } from "../../tokens.ts";
import type { StorageClass } from "../storage/storage-class.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { compareQuantities, parseQuantity } from "../../../../kube/values/quantity.ts";
import { failure } from "../../../../kube/status.ts";
import type { WriteContext } from "../../../kinds.ts";
import { listAt, textAt } from "../../at.ts";
import { immutable } from "../../shared/checks.ts";
import { amountErrors } from "../../shared/resource-names.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  ResourceList,
} from "../../shared/shapes.ts";
import { claimSpecErrors } from "../../shared/volumes/claim-spec.ts";
import { protectInUse } from "../../shared/volumes/protection.ts";
import { claimSizeWarnings } from "../../shared/volumes/warnings.ts";
import { asGiven } from "../../strategies/emptied.ts";
import { formDifference } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { CLASS, VOLUME_CELLS, accessModes, size } from "./volume-columns.ts";
import { present } from "../../../../present.ts";

/** Checks that the class of a claim allows it to grow. @throws StatusError 403 */
function admitExpansion(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  context: WriteContext,
): void {
  if (!context.plugins.isOn("PersistentVolumeClaimResize")) return;
  if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
  const { name = "" } = claim.metadata;
  const refuse = (why: string): Error =>
    failure(403, "Forbidden", `persistentvolumeclaims "${name}" is forbidden: ${why}`, {
      name,
      kind: "persistentvolumeclaims",
    });
  if (old.status?.phase !== "Bound") {
    throw refuse("Only bound persistent volume claims can be expanded");
  }
  const named = classOf(claim) ?? "";
  const storageClass: StorageClass | undefined =
    named === "" || named !== classOf(old)
      ? undefined
      : context.find(STORAGE_CLASSES, { name: named });
  if (storageClass?.allowVolumeExpansion !== true) {
    throw refuse(
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  }
}

const sizeOf = ({ spec }: PersistentVolumeClaim): ReturnType<typeof parseQuantity> =>
  parseQuantity(spec.resources?.requests?.["storage"] ?? "0");

function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  (claim.status ??= {}).phase ??= "Pending";
  claim.spec.volumeMode ??= "Filesystem";
}

/**
 * Drops a source in another namespace, a disabled feature, and sources in the old field other than
 * claims and snapshots.
 */
function dropDisabledSources(spec: PersistentVolumeClaim["spec"]): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSourceRef?.namespace) delete spec.dataSourceRef;
  if (!dataSource) return;
  const { apiGroup, kind } = dataSource;
  const isKnown = apiGroup
    ? apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot"
    : kind === "PersistentVolumeClaim";
  if (!isKnown) delete spec.dataSource;
}

/**
 * Prepares an update: sources of disabled features are dropped unless the claim already had a
 * source.
 */
function preparePersistentVolumeClaimForUpdate(
  claim: PersistentVolumeClaim,
  previous: PersistentVolumeClaim,
): void {
  const { dataSource, dataSourceRef } = previous.spec;
  if (!dataSource && !dataSourceRef) dropDisabledSources(claim.spec);
  copyDataSource(claim);
}

/** Copies the source between its two fields, `dataSource` and `dataSourceRef`. */
function copyDataSource(claim: PersistentVolumeClaim): void {
  const { dataSource, dataSourceRef } = claim.spec;
  if (dataSource && !dataSourceRef) claim.spec.dataSourceRef = { ...dataSource };
  else if (!dataSource && dataSourceRef && dataSourceRef.namespace === undefined) {
    claim.spec.dataSource = { ...dataSourceRef };
  }
}

/**
 * Prepares a new claim: it gets the default class when it names none, and a finalizer that protects
 * it while it is in use.
 */
function preparePersistentVolumeClaimForCreate(
  claim: PersistentVolumeClaim,
  context: WriteContext,
): void {
  protectInUse(claim, "kubernetes.io/pvc-protection", context);
  dropDisabledSources(claim.spec);
  copyDataSource(claim);
  if (classOf(claim) !== undefined || !context.plugins.isOn("DefaultStorageClass")) return;
  const standard = defaultClassOf(context.list(STORAGE_CLASSES));
  if (standard !== undefined) claim.spec.storageClassName = standard;
}

const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
const IS_DEFAULT = "storageclass.kubernetes.io/is-default-class";

/** The class of a claim or volume; empty for explicitly none, `undefined` when it is not set. */
export const classOf = ({
  metadata,
  spec,
}: PersistentVolumeClaim | PersistentVolume): string | undefined =>
  metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName;

/** The newest of the default classes; among those of the same second the first by name. */
export function defaultClassOf(classes: readonly SentObject[]): string | undefined {
  const created = ({ metadata }: SentObject): string => metadata.creationTimestamp ?? "";
  const nameOf = ({ metadata }: SentObject): string => metadata.name ?? "";
  const isBefore = (one: SentObject, other: SentObject): boolean =>
    created(one) === created(other) ? nameOf(one) < nameOf(other) : created(one) > created(other);
  return classes
    .filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === "true")
    .toSorted((one, other) => (isBefore(one, other) ? -1 : 1))[0]?.metadata.name;
}

/** Warnings about a PersistentVolumeClaim. */
function claimWarnings(object: PersistentVolumeClaim): string[] {
  const { spec, metadata } = object;
  const sizes = claimSizeWarnings("spec", spec);
  return metadata.annotations?.[CLASS] === undefined
    ? sizes
    : [
        `metadata.annotations[${CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ...sizes,
      ];
}

function claimErrors(object: PersistentVolumeClaim): FieldError[] {
  return claimSpecErrors("spec", object.spec);
}

const CLAIM_UPDATES =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

/** Validates an update: a bound claim may grow, the rest of its spec is immutable. */
function claimUpdateErrors(
  object: PersistentVolumeClaim,
  previous: PersistentVolumeClaim,
): FieldError[] {
  const { spec, status, metadata } = object;
  const { spec: old, status: oldStatus, metadata: oldMetadata } = previous;
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

/** The claim with the old size and the old attributes class. */
function withFixedSize(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec,
): PersistentVolumeClaimSpec {
  const kept = old.volumeAttributesClassName;
  const settled = { ...spec, ...present({ volumeAttributesClassName: kept }) };
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

/** Validates a write to the status of a claim. */
function claimStatusErrors(object: PersistentVolumeClaim): FieldError[] {
  const { spec, status = {} } = object;
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

/** Validates the name of a resource: storage, or one with a domain. */
function claimResourceErrors(field: string, name: string): FieldError[] {
  const errors = nameErrorsAt(field, name, qualifiedNameErrors);
  if (errors.length > 0) return errors;
  if (name === "storage") return [];
  const isOwn = name.includes("/") && !name.includes("kubernetes.io/");
  return isOwn ? [] : [notSupported(field, name, ["storage"])];
}

const isBound = (claim: SentObject): boolean => textAt(claim, "spec.volumeName") !== "";

/** The rules of PersistentVolumeClaims. */
export const persistentVolumeClaimRules: KindRules = {
  warnings: claimWarnings,
  validateCreate: claimErrors,
  validateUpdate: claimUpdateErrors,
  validateStatus: claimStatusErrors,
  prepareForUpdate: preparePersistentVolumeClaimForUpdate,
  admitChange: admitExpansion,
  status: "all",
  setDefaults: setPersistentVolumeClaimDefaults,
  prepareForCreate: preparePersistentVolumeClaimForCreate,
  table: {
    ...VOLUME_CELLS,
    Volume: "spec.volumeName",
    Capacity: (object) => (isBound(object) ? size(object, "status.capacity") : ""),
    "Access Modes": (object) =>
      isBound(object) ? accessModes(listAt(object, "status.accessModes")) : "",
  },
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true },
  lacksDefault: () => true,
};
