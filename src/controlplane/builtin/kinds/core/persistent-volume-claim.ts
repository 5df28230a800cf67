import { STORAGE_CLASSES } from "../../tokens.ts";
import type { Check } from "../../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { ObjectMeta, SentObject } from "../../../../kube/object.ts";
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
} from "../../../../kube/values/quantity.ts";
import { failure } from "../../../../kube/status.ts";
import type { WriteContext } from "../../../kinds.ts";
import { listAt, textAt } from "../../at.ts";
import { checked, checkedChange, warningsOf } from "../../shared/checks.ts";
import { checkAmount } from "../../shared/resource-names.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  ResourceList,
} from "../../shared/shapes.ts";
import { checkClaimSpec } from "../../shared/volumes/claim-spec.ts";
import { protectInUse } from "../../shared/volumes/protection.ts";
import { warnOfClaimSize } from "../../shared/volumes/warnings.ts";
import { asGiven } from "../../go/emptied.ts";
import { formDifference } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { unfilled } from "../../unfilled.ts";
import { CLASS, VOLUME_CELLS, accessModes, size } from "./volume-columns.ts";
import { present } from "../../../../present.ts";

/** Checks that the class of a claim allows it to grow. @throws StatusError 403 */
function admitExpansion(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  context: WriteContext,
): void {
  if (!context.plugins.isOn("PersistentVolumeClaimResize")) return;
  const sizeOf = ({ spec }: PersistentVolumeClaim): Quantity => storageIn(spec.resources?.requests);
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
  const isKept = named !== "" && named === classOf(old);
  if (!isKept || context.find(STORAGE_CLASSES, { name: named })?.allowVolumeExpansion !== true) {
    throw refuse(
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  }
}

const storageIn = (amounts: ResourceList | undefined): Quantity =>
  parseQuantity(amounts?.["storage"] ?? "0");

function setDefaults(claim: PersistentVolumeClaim): void {
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
function prepareForUpdate(claim: PersistentVolumeClaim, previous: PersistentVolumeClaim): void {
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
function prepareForCreate(claim: PersistentVolumeClaim, context: WriteContext): void {
  unfilled.add(claim);
  protectInUse(claim, "kubernetes.io/pvc-protection", context);
  dropDisabledSources(claim.spec);
  copyDataSource(claim);
  if (classOf(claim) !== undefined || !context.plugins.isOn("DefaultStorageClass")) return;
  const standard = defaultClassOf(context.list(STORAGE_CLASSES));
  if (standard !== undefined) claim.spec.storageClassName = standard;
}

const IS_DEFAULT = "storageclass.kubernetes.io/is-default-class";

/** The class of a claim or volume; empty for explicitly none, `undefined` when it is not set. */
export const classOf = ({
  metadata,
  spec,
}: PersistentVolumeClaim | PersistentVolume): string | undefined =>
  metadata.annotations?.[CLASS] ?? spec.storageClassName;

/** The newest of the default classes; among those of the same second the first by name. */
export function defaultClassOf(classes: readonly SentObject[]): string | undefined {
  const isBefore = (
    { name = "", creationTimestamp: time = "" }: ObjectMeta,
    { name: otherName = "", creationTimestamp: otherTime = "" }: ObjectMeta,
  ): boolean => (time === otherTime ? name < otherName : time > otherTime);
  return classes
    .map(({ metadata }) => metadata)
    .filter(({ annotations }) => annotations?.[IS_DEFAULT] === "true")
    .toSorted((one, other) => (isBefore(one, other) ? -1 : 1))[0]?.name;
}

const warnings = (object: PersistentVolumeClaim): string[] =>
  warningsOf(object, (claim, warn) => {
    const annotation = claim.at("metadata", "annotations").entry(CLASS);
    annotation.ifSet(() => {
      warn(annotation, 'deprecated since v1.8; use "storageClassName" attribute instead');
    });
    warnOfClaimSize(claim.at("spec"), warn);
  });

function checkClaim(claim: Check<PersistentVolumeClaim>): void {
  checkClaimSpec(claim.at("spec"));
}

const CLAIM_UPDATES =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/** Validates an update: a bound claim may grow, the rest of its spec is immutable. */
function checkChange(
  claim: Check<PersistentVolumeClaim>,
  { spec: old, status: oldStatus, metadata: oldMetadata }: PersistentVolumeClaim,
): void {
  const { spec, status } = claim.value;
  checkClaim(claim);
  const annotation = claim.at("metadata", "annotations").entry(CLASS);
  const annotated = oldMetadata.annotations?.[CLASS];
  const { storageClassName: className } = spec;
  const gainsClass =
    old.storageClassName === undefined &&
    className !== undefined &&
    (annotated ?? className) === className;
  const movesClass = gainsClass && (annotation.value ?? annotated) === annotated;
  if (!movesClass) annotation.as(annotation.value ?? "").unchanged(annotated ?? "");
  const settled = { ...spec };
  if (gainsClass) delete settled.storageClassName;
  const difference = formDifference(
    "core.PersistentVolumeClaimSpec",
    { ...old, volumeName: old.volumeName ? old.volumeName : spec.volumeName },
    status?.phase === "Bound" ? withFixedSize(settled, old) : settled,
  );
  if (difference !== "") claim.at("spec").forbidden(`${CLAIM_UPDATES}\n${difference}`);
  const size = storageIn(spec.resources?.requests);
  if (
    compareQuantities(size, storageIn(old.resources?.requests)) < 0 &&
    compareQuantities(size, storageIn(oldStatus?.capacity)) <= 0
  ) {
    const requests = claim.at("spec", "resources", "requests");
    requests.child("storage", size).forbidden("field can not be less than status.capacity");
  }
  claim.child("volumeMode", spec.volumeMode).unchanged(old.volumeMode);
  const { volumeAttributesClassName: attributes } = spec;
  const current = oldStatus?.currentVolumeAttributesClassName;
  if (attributes !== old.volumeAttributesClassName && current !== undefined && !attributes) {
    const what = attributes === undefined ? "nil" : "empty string";
    const detail = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
    claim.at("spec", "volumeAttributesClassName").forbidden(detail);
  }
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

function checkStatus(claim: Check<PersistentVolumeClaim>): void {
  const statuses = claim.at("status", "allocatedResourceStatuses");
  const allocated = claim.at("status", "allocatedResources");
  if (claim.at("spec", "accessModes").count === 0) {
    claim.child("Spec.accessModes", undefined).required();
  }
  claim.at("status", "capacity").eachEntry(checkSign);
  statuses.eachEntry((state, name) => {
    checkResourceName(statuses.as(name));
    if (!RESIZING.includes(state.value)) statuses.notSupported(RESIZING, name);
  });
  allocated.eachEntry((amount, name) => {
    if (!allocated.as(name).passes(checkResourceName) || !amount.passes(checkSign)) return;
    checkAmount(amount, "storage");
  });
}

function checkSign(amount: Check<string>): void {
  const { nanos } = parseQuantity(amount.value);
  if (nanos >= 0n) return;
  amount.invalid("must be a valid resource quantity", Number(nanos / 1_000_000_000n));
}

/** Validates the name of a resource: storage, or one with a domain. */
function checkResourceName(name: Check<string>): void {
  const isOwn = name.value.includes("/") && !name.value.includes("kubernetes.io/");
  if (!name.named(qualifiedNameErrors) || isOwn) return;
  name.oneOf(["storage"]);
}

const isBound = (claim: SentObject): boolean => textAt(claim, "spec.volumeName") !== "";

export const persistentVolumeClaimRules: KindRules = {
  warnings,
  validateCreate: checked(checkClaim),
  validateUpdate: checkedChange(checkChange),
  validateStatus: checkedChange(checkStatus),
  prepareForUpdate,
  status: "all",
  setDefaults,
  prepareForCreate,
  table: {
    ...VOLUME_CELLS,
    Volume: "spec.volumeName",
    Capacity: (object) => (isBound(object) ? size(object, "status.capacity") : ""),
    "Access Modes": (object) =>
      isBound(object) ? accessModes(listAt(object, "status.accessModes")) : "",
  },
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true },
  wrap: (strategy, subresource) => ({
    ...strategy,
    validateUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, context, between) {
      const errors = strategy.validateUpdate(claim, old, context, between);
      if (errors.length === 0 && subresource === "") admitExpansion(claim, old, context);
      return errors;
    },
  }),
};
