import type { SentObject } from "../../../../../kube/object.ts";
import { listAt, textAt } from "../../../at.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import { dropFromTemplate } from "../../../shared/pods/defaults.ts";
import { nameWarnings, podWarnings } from "../../../shared/workloads/pod-warnings.ts";
import type { KindRules } from "../../../kind-rules.ts";
import {
  admitPod,
  preparePodForCreate,
  preparePodForUpdate,
  preparePodStatus,
  setPodDefaults,
} from "./preparation.ts";
import { checkEphemeral, checkResize } from "./resize.ts";
import type { Pod } from "./shape.ts";
import { completed, readinessGates, restartsText, summarize } from "./table.ts";
import { checkPodStatus, checkPodUpdate } from "./updates.ts";
import { checkNewPod, checkPod } from "./pod-validation.ts";
import { field, fields } from "../../../selectable-fields.ts";
import { takeEphemeralContainers, takeResources } from "./subresources.ts";

/** The grace period of a pod's deletion, in seconds; `asked` is that of the request. */
function graceSeconds({ spec, status }: Pod, asked: number | undefined): number {
  const period = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  // A pod that has no node or has ended needs no grace period.
  if (!spec.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") return 0;
  return period < 0 ? 1 : period;
}

/** Warnings about a new Pod; updates have none. */
const warnings = (pod: Pod, old: SentObject | undefined): string[] =>
  old ? [] : [...nameWarnings(pod.metadata.name, "the Pod's hostname"), ...podWarnings(pod)];

export const podRules: KindRules = {
  warnings,
  validate: checked(checkPod),
  validateCreate: checked(checkNewPod),
  validateUpdate: checkedChange(checkPodUpdate),
  validateStatus: checkedChange(checkPodStatus),
  prepareForStatus: preparePodStatus,
  prepareForUpdate: preparePodForUpdate,
  status: "no-owners",
  generation: ["spec"],
  setDefaults: setPodDefaults,
  dropDisabled: (object: Pod) => dropFromTemplate(object),
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
  printer: { conditions: completed },
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true, graceSeconds },
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
    ephemeralcontainers: {
      take: takeEphemeralContainers,
      keepsMetadata: true,
      validate: checkedChange(checkEphemeral),
    },
    resize: { take: takeResources, keepsMetadata: true, validate: checkedChange(checkResize) },
  },
  wrap: (strategy) => ({ ...strategy, admit: admitPod }),
};
