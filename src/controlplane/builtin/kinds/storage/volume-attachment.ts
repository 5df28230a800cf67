/** Rules of the kind VolumeAttachment. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { csiDriverNameErrors, immutableForm } from "../../shared/checks.ts";
import { setVolumeSourceDefaults } from "../../shared/pods/defaults.ts";
import type { PersistentVolume } from "../../shared/shapes.ts";
import { type VolumeSpec, volumeSpecErrors } from "../../shared/volumes/volume-spec.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer, textColumn } from "../../tables/column.ts";
import { MOST_BYTES, bytesOf, flagColumn } from "./shared.ts";

/** Sets the defaults of a volume source that is inlined in an attachment. */
function setAttachmentDefaults(object: Attachment): void {
  const { source } = object.spec;
  if (source.inlineVolumeSpec) setVolumeSourceDefaults(source.inlineVolumeSpec);
}

const LONGEST_MESSAGE = 1024;
const MOST_INT32 = 2 ** 31 - 1;
const ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

interface AttachError {
  message?: string;
  errorCode?: number;
}

interface Attachment extends SentObject {
  spec: {
    attacher?: string;
    nodeName?: string;
    source: {
      persistentVolumeName?: string;
      inlineVolumeSpec?: VolumeSpec & PersistentVolume["spec"];
    };
  };
  status?: {
    attachmentMetadata?: Record<string, string>;
    attachError?: AttachError;
    detachError?: AttachError;
  };
}

function attachmentErrors(object: Attachment): FieldError[] {
  const { spec, status = {} } = object;
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

function attachmentUpdateErrors(object: Attachment, previous: Attachment): FieldError[] {
  const { spec } = object;
  const { spec: old } = previous;
  return [
    ...attachmentErrors(object),
    ...immutableForm("spec", "storage.VolumeAttachmentSpec", spec, old),
  ];
}

/** The rules of VolumeAttachments. */
export const volumeAttachmentRules: KindRules = {
  status: "none",
  setDefaults: setAttachmentDefaults,
  conditionalUpdate: true,
  validateCreate: attachmentErrors,
  validateUpdate: attachmentUpdateErrors,
  validateStatus: attachmentErrors,
  table: printer([
    nameColumn,
    textColumn("Attacher", "spec.attacher", "", { format: "name" }),
    textColumn("PV", "spec.source.persistentVolumeName"),
    textColumn("Node", "spec.nodeName"),
    flagColumn("Attached", "status.attached"),
    ageColumn,
  ]),
  metadataChecks: ["whole"],
  deletion: { answersObject: true },
  resetFields: { status: ["spec", "metadata"] },
  columnFields: {
    Attacher: "storage.v1.VolumeAttachmentSpec.attacher",
    PV: "storage.v1.VolumeAttachmentSource.persistentVolumeName",
    Node: "storage.v1.VolumeAttachmentSpec.nodeName",
    Attached: "storage.v1.VolumeAttachmentStatus.attached",
  },
};
