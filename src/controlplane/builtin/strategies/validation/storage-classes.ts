/**
 * Validation of StorageClasses, VolumeAttributesClasses, VolumeAttachments, and of what CSI drivers say of themselves.
 *
 * @module
 */
import { sameJson } from "../../../../kube/json.ts";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  required,
  tooLong,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { parseQuantity } from "../../../../kube/quantity.ts";
import type { LabelSelector } from "../shapes.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import {
  csiDriverNameErrors,
  IMMUTABLE,
  immutable,
  immutableForm,
  notNegative,
  oneOf,
} from "./checks.ts";
import { type VolumeSpec, volumeSpecErrors } from "./persistent-volumes.ts";
import { asGiven } from "../emptied.ts";

const MOST_PARAMETERS = 512;
const MOST_BYTES = 256 * 1024;
const LONGEST_MESSAGE = 1024;
const MOST_INT32 = 2 ** 31 - 1;
const ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

function provisionerErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  return nameErrorsAt(field, name.toLowerCase(), qualifiedNameErrors);
}

const bytesOf = (texts: Readonly<Record<string, string>>): number =>
  Object.entries(texts).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

function parametersErrors(
  parameters: Readonly<Record<string, string>> = {},
  mayBeEmpty: boolean,
): FieldError[] {
  const field = "parameters";
  const names = Object.keys(parameters);
  if (names.length > MOST_PARAMETERS) return [tooLong(field, MOST_PARAMETERS)];
  return [
    ...(names.includes("") ? [invalidValue(field, "", "field can not be empty.")] : []),
    ...(bytesOf(parameters) > MOST_BYTES ? [tooLong(field, MOST_BYTES)] : []),
    ...(!mayBeEmpty && names.length === 0
      ? [required(field, "must contain at least one key/value pair")]
      : []),
  ];
}

interface TopologyTerm {
  matchLabelExpressions?: { key: string; values?: string[] | null }[];
}

interface StorageClass extends SentObject {
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowedTopologies?: TopologyTerm[];
}

export function newStorageClassErrors(object: SentObject): FieldError[] {
  const { provisioner = "", parameters, reclaimPolicy = "" } = object as StorageClass;
  const { volumeBindingMode: mode, allowedTopologies = [] } = object as StorageClass;
  const seen: unknown[] = [];
  return [
    ...provisionerErrors("provisioner", provisioner),
    ...parametersErrors(parameters, true),
    ...(reclaimPolicy === "" ? [] : oneOf("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"])),
    ...(mode === undefined
      ? [required("volumeBindingMode")]
      : oneOf("volumeBindingMode", mode, ["Immediate", "WaitForFirstConsumer"])),
    ...allowedTopologies.flatMap((term, index) => {
      const at = `allowedTopologies[${index}]`;
      const errors = topologyErrors(at, term);
      const values = Object.fromEntries(
        (term.matchLabelExpressions ?? []).map(({ key, values: some }) => [key, new Set(some)]),
      );
      // Upstream compares with as many empty terms, too.
      const empty = Object.keys(values).length === 0 ? allowedTopologies.length : 0;
      const known = seen.filter((one) => sameJson(one, values)).length;
      seen.push(values);
      const repeated = duplicate(`${at}.matchLabelExpressions`, "");
      return [...errors, ...Array.from({ length: empty + known }, () => repeated)];
    }),
  ];
}

function topologyErrors(at: string, { matchLabelExpressions = [] }: TopologyTerm): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key, values }, index) => {
    const field = `${at}.matchLabelExpressions[${index}]`;
    const list = values ?? [];
    const errors = list.length === 0 ? [required(`${field}.values`)] : [];
    for (const [position, value] of list.entries()) {
      const where = `${field}.values[${position}]`;
      if (list.indexOf(value) < position) errors.push(duplicate(where, value));
    }
    errors.push(...nameErrorsAt(`${field}.key`, key, qualifiedNameErrors));
    if (keys.has(key)) errors.push(duplicate(`${field}.key`, key));
    keys.add(key);
    return errors;
  });
}

export function storageClassUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const now = object as StorageClass;
  const old = previous as StorageClass;
  return (["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap(
    (field) =>
      sameJson(now[field] ?? null, old[field] ?? null)
        ? []
        : [invalidValue(field, asGiven(now, field), IMMUTABLE)],
  );
}

interface AttributesClass extends SentObject {
  driverName?: string;
  parameters?: Record<string, string>;
}

export const attributesClassErrors = (object: SentObject): FieldError[] => [
  ...provisionerErrors("driverName", (object as AttributesClass).driverName ?? ""),
  ...parametersErrors((object as AttributesClass).parameters, false),
];

export function attributesClassUpdateErrors(
  object: SentObject,
  previous: SentObject,
): FieldError[] {
  const now = object as AttributesClass;
  const old = previous as AttributesClass;
  return (["driverName", "parameters"] as const).flatMap((field) =>
    sameJson(now[field] ?? null, old[field] ?? null)
      ? []
      : [forbidden(field, `updates to ${field} are forbidden.`)],
  );
}

interface AttachError {
  message?: string;
  errorCode?: number;
}

interface Attachment extends SentObject {
  spec: {
    attacher?: string;
    nodeName?: string;
    source: { persistentVolumeName?: string; inlineVolumeSpec?: VolumeSpec };
  };
  status?: {
    attachmentMetadata?: Record<string, string>;
    attachError?: AttachError;
    detachError?: AttachError;
  };
}

export function attachmentErrors(object: SentObject): FieldError[] {
  const { spec, status = {} } = object as Attachment;
  const { attacher = "", nodeName = "", source } = spec;
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  const field = "spec.source";
  const errors = csiDriverNameErrors("spec.attacher", attacher);
  if (!inline && name === undefined) errors.push(required(field, ONE_SOURCE));
  else if (inline && name !== undefined) errors.push(forbidden(field, ONE_SOURCE));
  else if (inline) errors.push(...volumeSpecErrors(`${field}.inlineVolumeSpec`, inline, undefined));
  else if (name === "") {
    const detail = "must specify non empty persistentVolumeName";
    errors.push(required(`${field}.persistentVolumeName`, detail));
  }
  errors.push(...nameErrorsAt("spec.nodeName", nodeName, dns1123SubdomainErrors));
  if (bytesOf(status.attachmentMetadata ?? {}) > MOST_BYTES) {
    errors.push(tooLong("status.attachmentMetadata", MOST_BYTES));
  }
  for (const part of ["attachError", "detachError"] as const) {
    const { message = "", errorCode = 0 } = status[part] ?? {};
    if (message.length > LONGEST_MESSAGE) {
      errors.push(tooLong(`status.${part}.message`, MOST_BYTES));
    }
    if (errorCode < 0) {
      const detail = `must be between 0 and ${MOST_INT32}, inclusive`;
      errors.push(invalidValue(`status.${part}.errorCode`, errorCode, detail));
    }
  }
  return name === undefined
    ? errors
    : [
        ...errors,
        ...nameErrorsAt("spec.source.persistentVolumeName", name, dns1123SubdomainErrors),
      ];
}

export function attachmentUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const { spec } = object as Attachment;
  const { spec: old } = previous as Attachment;
  return [
    ...attachmentErrors(object),
    ...immutableForm("spec", "storage.VolumeAttachmentSpec", spec, old),
  ];
}

interface CsiNode extends SentObject {
  spec: {
    drivers:
      | {
          name: string;
          nodeID: string;
          topologyKeys?: string[] | null;
          allocatable?: { count?: number };
        }[]
      | null;
  };
}

export function csiNodeErrors(object: SentObject): FieldError[] {
  const names = new Set<string>();
  return ((object as CsiNode).spec.drivers ?? []).flatMap((driver, index) => {
    const { name, nodeID, topologyKeys, allocatable } = driver;
    const at = `spec.drivers[${index}]`;
    const errors = csiDriverNameErrors(`${at}.name`, name);
    if (nodeID === "") errors.push(required(`${at}.nodeID`));
    if (nodeID.length > 256) {
      errors.push(invalidValue(`${at}.nodeID`, nodeID, "must be 256 characters or less"));
    }
    errors.push(...notNegative(`${at}.allocatable.count`, allocatable?.count));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    for (const [position, key] of (topologyKeys ?? []).entries()) {
      if (key === "") errors.push(required(at));
      if ((topologyKeys ?? []).indexOf(key) < position) errors.push(duplicate(at, key));
      errors.push(...nameErrorsAt(at, key, qualifiedNameErrors));
    }
    return errors;
  });
}

export function csiNodeUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const type = "storage.CSINodeDriver";
  const fixed = (driver: object): object => ({ ...driver, allocatable: undefined });
  const now = (object as CsiNode).spec.drivers ?? [];
  return [
    ...csiNodeErrors(object),
    ...((previous as CsiNode).spec.drivers ?? []).flatMap((old) =>
      now
        .filter(({ name }) => name === old.name)
        .flatMap((driver) => immutableForm("spec.drivers", type, fixed(driver), fixed(old))),
    ),
  ];
}

interface CsiDriver extends SentObject {
  spec: {
    attachRequired?: boolean;
    fsGroupPolicy?: string;
    tokenRequests?: { audience: string; expirationSeconds?: number }[] | null;
    volumeLifecycleModes?: string[] | null;
    nodeAllocatableUpdatePeriodSeconds?: number;
    serviceAccountTokenInSecrets?: boolean;
  };
}

export function csiDriverErrors(object: SentObject): FieldError[] {
  const { spec } = object as CsiDriver;
  const { fsGroupPolicy: policy, nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const requests = spec.tokenRequests ?? [];
  const errors: FieldError[] = [];
  if (policy !== undefined) {
    const known = ["File", "None", "ReadWriteOnceWithFSType"];
    errors.push(...oneOf("spec.fsGroupPolicy", policy, known));
  }
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const at = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) {
      errors.push(duplicate(`${at}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    const field = `${at}.expirationSeconds`;
    if (seconds !== undefined && seconds < 600) {
      const detail = "may not specify a duration less than 10 minutes";
      errors.push(invalidValue(field, seconds, detail));
    }
    if (seconds !== undefined && seconds > 2 ** 32) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      errors.push(invalidValue(field, seconds, detail));
    }
  }
  for (const mode of spec.volumeLifecycleModes ?? []) {
    errors.push(...oneOf("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]));
  }
  if (period !== undefined && period < 10) {
    const field = "spec.nodeAllocatableUpdatePeriodSeconds";
    errors.push(invalidValue(field, period, "must be greater than or equal to 10 seconds"));
  }
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets !== undefined && requests.length === 0) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    errors.push(invalidValue("spec.serviceAccountTokenInSecrets", inSecrets, detail));
  }
  return errors;
}

export function csiDriverUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const { spec } = object as CsiDriver;
  const { spec: old } = previous as CsiDriver;
  return [
    ...csiDriverErrors(object),
    ...immutable("spec.attachedRequired", spec.attachRequired, old.attachRequired),
    ...immutable("spec.volumeLifecycleModes", spec.volumeLifecycleModes, old.volumeLifecycleModes),
  ];
}

/** What the writer of a CSIDriver is told. */
export function csiDriverWarnings(object: SentObject, old: SentObject | undefined): string[] {
  if (old) return [];
  const { spec } = object as CsiDriver;
  return (spec.tokenRequests ?? []).length > 0 && spec.serviceAccountTokenInSecrets === undefined
    ? [
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
      ]
    : [];
}

interface Capacity extends SentObject {
  nodeTopology?: LabelSelector;
  storageClassName?: string;
  capacity?: string;
}

export function storageCapacityErrors(object: SentObject): FieldError[] {
  const { nodeTopology, storageClassName = "", capacity } = object as Capacity;
  const errors = nodeTopology ? selectorErrors("nodeTopology", nodeTopology) : [];
  errors.push(...nameErrorsAt("storageClassName", storageClassName, dns1123SubdomainErrors));
  return capacity !== undefined && parseQuantity(capacity).nanos < 0n
    ? [...errors, invalidValue("capacity", capacity, "must be greater than or equal to 0")]
    : errors;
}

export function storageCapacityUpdateErrors(
  object: SentObject,
  previous: SentObject,
): FieldError[] {
  const now = object as Capacity;
  const old = previous as Capacity;
  return [
    ...immutableForm("nodeTopology", "*metav1.LabelSelector", now.nodeTopology, old.nodeTopology),
    ...(now.storageClassName === old.storageClassName
      ? []
      : [invalidValue("storageClassName", now.storageClassName ?? "", IMMUTABLE)]),
  ];
}
