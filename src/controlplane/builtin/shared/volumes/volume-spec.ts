/** Validation of the spec of a PersistentVolume, which a VolumeAttachment may contain too. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { asGiven } from "../../strategies/emptied.ts";
import { oneOf } from "../checks.ts";
import { nodeSelectorErrors } from "../pods/scheduling.ts";
import type { NodeSelector } from "../pods/shapes.ts";
import type { ResourceList } from "../shapes.ts";
import { DISKS, volumeSourceErrors } from "./disk-sources.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** The modes in which a volume is attached to containers. */
export const VOLUME_MODES = ["Block", "Filesystem"];

const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];

/** Validates access modes, and that ReadWriteOncePod is not combined with others. */
export function accessModeErrors(field: string, modes: readonly string[]): FieldError[] {
  const errors = modes.flatMap((mode) => oneOf(field, mode, ACCESS_MODES));
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod")) {
    errors.push(forbidden(field, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

/** Validates that an amount is greater than zero. */
export const positiveErrors = (field: string, amount: string): FieldError[] =>
  parseQuantity(amount).nanos <= 0n
    ? [invalidValue(field, amount, "must be greater than zero")]
    : [];

/** The spec of a PersistentVolume, as far as it is validated. */
export interface VolumeSpec {
  claimRef?: object;
  capacity?: ResourceList;
  accessModes?: string[];
  persistentVolumeReclaimPolicy?: string;
  storageClassName?: string;
  volumeMode?: string;
  nodeAffinity?: { required?: NodeSelector };
  hostPath?: { path: string };
  local?: object;
  csi?: { controllerExpandSecretRef?: object };
  volumeAttributesClassName?: string;
}

/** The sources of a volume, in the order in which the API server checks them. */
const SOURCES = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
].flatMap((name) => {
  const check = DISKS[name];
  return check ? [[name, check] as const] : [];
});

const INLINE = "in the context of inline volumes";

/** Validates an inline spec, without the fields that only a PersistentVolume may have. */
function inlineErrors(field: string, spec: VolumeSpec): FieldError[] {
  const refuse = (part: string): FieldError =>
    forbidden(`${field}.${part}`, `may not be specified ${INLINE}`);
  return [
    ...(spec.claimRef ? [refuse("claimRef")] : []),
    ...(Object.keys(spec.capacity ?? {}).length > 0 ? [refuse("capacity")] : []),
    ...(spec.csi ? [] : [required(`${field}.csi`, `has to be specified ${INLINE}`)]),
  ];
}

/**
 * Validates the spec of a PersistentVolume.
 *
 * @param name - the name of the volume; `undefined` for an inline spec in an attachment
 */
export function volumeSpecErrors(
  field: string,
  spec: VolumeSpec,
  name: string | undefined,
): FieldError[] {
  const { accessModes = [], capacity = {}, nodeAffinity } = spec;
  const { persistentVolumeReclaimPolicy: policy, storageClassName = "", volumeMode } = spec;
  const inline = name === undefined;
  const errors = inline ? inlineErrors(field, spec) : [];
  const refuse = (part: string, detail = `may not be specified ${INLINE}`): void => {
    errors.push(forbidden(`${field}.${part}`, detail));
  };
  if (accessModes.length === 0) errors.push(required(`${field}.accessModes`));
  errors.push(...accessModeErrors(`${field}.accessModes`, accessModes));
  if (!inline) errors.push(...capacityErrors(capacity, asGiven(spec, "capacity")));
  if (policy && inline) {
    if (policy !== "Retain")
      refuse("persistentVolumeReclaimPolicy", `may only be Retain ${INLINE}`);
  } else if (policy) {
    errors.push(...oneOf(`${field}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES));
  }
  if (nodeAffinity && inline) refuse("nodeAffinity");
  else if (nodeAffinity) {
    const at = `${field}.nodeAffinity.required`;
    errors.push(
      ...(nodeAffinity.required
        ? nodeSelectorErrors(at, nodeAffinity.required)
        : [required(at, "must specify required node constraints")]),
    );
  }
  const ofSources = volumeSourceErrors(field, spec, SOURCES, {
    name: name ?? "",
    persistent: true,
  });
  if (spec.local && (!nodeAffinity || inline)) {
    // Listed with the local volume, which comes before these two.
    const after = ofSources.findIndex(({ field: at }) =>
      ["storageos", "csi"].some((source) => at.startsWith(`${field}.${source}`)),
    );
    const missing = required(`${field}.nodeAffinity`, "Local volume requires node affinity");
    ofSources.splice(after === -1 ? ofSources.length : after, 0, missing);
  }
  errors.push(...ofSources);
  if (/^\/+$/.test(spec.hostPath?.path ?? "") && policy === "Recycle") {
    refuse("persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (storageClassName !== "" && inline) refuse("storageClassName");
  else if (storageClassName !== "") {
    errors.push(
      ...nameErrorsAt(`${field}.storageClassName`, storageClassName, dns1123SubdomainErrors),
    );
  }
  if (volumeMode !== undefined && inline) {
    const detail = `may not specify volumeMode other than Filesystem ${INLINE}`;
    if (volumeMode !== "Filesystem") refuse("volumeMode", detail);
  } else if (volumeMode !== undefined) {
    errors.push(...oneOf(`${field}.volumeMode`, volumeMode, VOLUME_MODES));
  }
  return inline ? errors : [...errors, ...attributesErrors(spec)];
}

function capacityErrors(capacity: ResourceList, given: unknown): FieldError[] {
  const field = "spec.capacity";
  const names = Object.keys(capacity);
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(capacity["storage"] === undefined || names.length > 1
      ? [notSupported(field, names.length === 0 ? given : capacity, ["storage"])]
      : []),
    ...Object.entries(capacity).flatMap(([name, amount]) => [
      ...wholeErrors(`${field}[${name}]`, amount),
      ...positiveErrors(`${field}[${name}]`, amount),
    ]),
  ];
}

/** Validates that an amount is not negative; the message shows it in whole units. */
function wholeErrors(field: string, amount: string): FieldError[] {
  const whole = parseQuantity(amount).nanos / 1_000_000_000n;
  return whole < 0n
    ? [invalidValue(field, Number(whole), "must be a valid resource quantity")]
    : [];
}

function attributesErrors({ volumeAttributesClassName: name, csi }: VolumeSpec): FieldError[] {
  if (name === undefined) return [];
  const field = "spec.volumeAttributesClassName";
  return [
    ...(name === ""
      ? [required(field, "an empty string is disallowed")]
      : nameErrorsAt(field, name, dns1123SubdomainErrors)),
    ...(csi
      ? []
      : [required("spec.csi", "has to be specified when using volumeAttributesClassName")]),
  ];
}
