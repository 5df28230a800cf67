/** Rules of the kind Pod. */
import { listAt, textAt } from "../../../at.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import { dropFromTemplate } from "../../../shared/pods/defaults.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import {
  admitPod,
  preparePodForCreate,
  preparePodForUpdate,
  preparePodStatus,
  setPodDefaults,
} from "./preparation.ts";
import { checkPodSubresource } from "./resize.ts";
import type { Pod } from "./shape.ts";
import { completed, readinessGates, restartsText, summarize } from "./table.ts";
import { checkPodStatus, checkPodUpdate } from "./updates.ts";
import { checkNewPod, checkPod } from "./validation.ts";
import { podWarnings } from "./warnings.ts";
import { podGraceSeconds } from "./deletion.ts";
import { field, labelNotSupported, fields } from "../../../selectable-fields.ts";
import { takeEphemeralContainers, takeNode, takeResources } from "./subresources.ts";

/** The rules of Pods. */
export const podRules: KindRules = {
  warnings: podWarnings,
  validate: checked(checkPod),
  validateCreate: checked(checkNewPod),
  validateUpdate: checkedChange(checkPodUpdate),
  validateStatus: checkedChange(checkPodStatus),
  prepareForStatus: preparePodStatus,
  validateSubresource: checkedChange(checkPodSubresource),
  prepareForUpdate: preparePodForUpdate,
  status: "no-owners",
  generation: ["spec"],
  setDefaults: setPodDefaults,
  dropDisabled: (object: Pod) => dropFromTemplate(object),
  admit: admitPod,
  prepareForCreate: preparePodForCreate,
  table: {
    Ready: (pod) => summarize(pod).ready,
    Status: (pod) => summarize(pod).status,
    Restarts: restartsText,
    IP: (pod) => textAt(listAt(pod, "status.podIPs")[0], "ip", "<none>"),
    Node: ["spec.nodeName", "<none>"],
    "Nominated Node": ["status.nominatedNodeName", "<none>"],
    "Readiness Gates": readinessGates,
  },
  rowConditions: completed,
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true, graceSeconds: podGraceSeconds },
  refuseFieldLabel: labelNotSupported,
  selectableFields: {
    ...fields(
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      ["spec.hostNetwork", "false"],
      "status.phase",
      "status.podIP",
      "status.nominatedNodeName",
    ),
    "spec.host": field("spec.nodeName"),
    "status.podIPs": () => "",
  },
  resetFields: { status: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"] },
  subresources: {
    ephemeralcontainers: { take: takeEphemeralContainers, keepsMetadata: true },
    resize: { take: takeResources, keepsMetadata: true },
    binding: { take: takeNode },
  },
};
