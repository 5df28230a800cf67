import type { VolumeAttachment } from "../../../../generated/k8s/storage-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import {
  checkCsiDriverName,
  checkUnchangedForm,
  checked,
  checkedChange,
} from "../../shared/checks.ts";
import { setVolumeSourceDefaults } from "../../shared/pods/defaults.ts";
import type { Sent, VolumeSpec } from "../../shared/shapes.ts";
import { checkVolumeSpec } from "../../shared/volumes/volume-spec.ts";
import type { KindRules } from "../../kind-rules.ts";
import { MOST_BYTES, bytesOf } from "./provisioner-parameters.ts";

const LONGEST_MESSAGE = 1024;
const MOST_INT32 = 2 ** 31 - 1;
const ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

type Attachment = Sent<VolumeAttachment> & {
  spec: { source: { inlineVolumeSpec?: VolumeSpec } };
};

function checkAttachment(attachment: Check<Attachment>): void {
  const spec = attachment.at("spec");
  const source = spec.at("source");
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source.value;
  checkCsiDriverName(spec.at("attacher"));
  if (!inline && name === undefined) source.required(ONE_SOURCE);
  else if (inline && name !== undefined) source.forbidden(ONE_SOURCE);
  else if (inline) {
    checkVolumeSpec(source.at("inlineVolumeSpec").as(inline), undefined);
  } else if (name === "") {
    source.at("persistentVolumeName").required("must specify non empty persistentVolumeName");
  }
  spec.at("nodeName").named(dns1123SubdomainErrors);
  const metadata = attachment.at("status", "attachmentMetadata");
  if (bytesOf(metadata.value ?? {}) > MOST_BYTES) metadata.tooLong(MOST_BYTES);
  for (const part of ["attachError", "detachError"] as const) {
    const error = attachment.at("status", part);
    const { message = "", errorCode = 0 } = error.value ?? {};
    if (message.length > LONGEST_MESSAGE) error.at("message").tooLong(MOST_BYTES);
    if (errorCode < 0) {
      error.at("errorCode").invalid(`must be between 0 and ${MOST_INT32}, inclusive`);
    }
  }
  source.at("persistentVolumeName").ifSet((volume) => volume.named(dns1123SubdomainErrors));
}

export const volumeAttachmentRules: KindRules = {
  status: "none",
  setDefaults({ spec: { source } }: Attachment) {
    if (source.inlineVolumeSpec) setVolumeSourceDefaults(source.inlineVolumeSpec);
  },
  conditionalUpdate: true,
  validate: checked(checkAttachment),
  validateUpdate: checkedChange<Attachment>((attachment, old) => {
    checkUnchangedForm(attachment.at("spec"), "storage.VolumeAttachmentSpec", old.spec);
  }),
  validateStatus: checkedChange(checkAttachment),
  table: {
    Attacher: "spec.attacher",
    PV: "spec.source.persistentVolumeName",
    Node: "spec.nodeName",
    Attached: "status.attached",
  },
  metadataChecks: ["whole"],
  deletion: { answersObject: true },
  resetFields: { status: ["spec", "metadata"] },
};
