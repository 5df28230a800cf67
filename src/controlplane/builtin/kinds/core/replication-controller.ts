import type { ReplicationControllerSpec } from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { checkNotNegative, checked, checkedChange } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import type { PodTemplate } from "../../shared/pods/pod-shapes.ts";
import {
  type Templated,
  isUncounted,
  namedTemplateWarnings,
  podWarnings,
} from "../../shared/workloads/pod-warnings.ts";
import type { Shaped } from "../../shared/shapes.ts";
import { checkReplicatedTemplate, checkSelection } from "../../shared/workloads/selection.ts";
import type { ReplicaStatus } from "../../shared/workloads/workload-shapes.ts";
import { checkReplicaSetStatus } from "../../shared/workloads/workload-status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import type { KindRules } from "../../kind-rules.ts";
import { labelsCell } from "../../tables/cells.ts";
import { fields } from "../../selectable-fields.ts";
import { mapSelectorScale } from "../../shared/workloads/scale.ts";

/**
 * Warnings about a ReplicationController; at an update about the old template, as upstream does.
 */
function replicationControllerWarnings(object: Templated, old: Templated | undefined): string[] {
  if (!old) return namedTemplateWarnings(object, undefined);
  const { template } = old.spec;
  return template && !isUncounted(object, old) ? podWarnings(template, "spec.template") : [];
}

/** Defaults the labels and the selector to the labels of the template. */
function setReplicationControllerDefaults(controller: ReplicationController): void {
  const { spec, metadata } = controller;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  const labels = spec.template?.metadata?.labels;
  if (!labels) return;
  spec.selector ??= { ...labels };
  metadata.labels ??= { ...labels };
}

export interface ReplicationController extends SentObject {
  spec: Shaped<Omit<ReplicationControllerSpec, "template">> & { template?: PodTemplate };
  status?: ReplicaStatus;
}

function checkReplicationController(controller: Check<ReplicationController>): void {
  const spec = controller.at("spec");
  const { selector, template, replicas } = spec.value;
  checkNotNegative(spec.at("minReadySeconds"));
  if (Object.keys(selector ?? {}).length === 0) spec.at("selector").required();
  checkNotNegative(spec.at("replicas"));
  if (!template) {
    spec.at("template").required();
    return;
  }
  const pods = spec.child("template", template);
  if (selector) checkSelection(pods, { matchLabels: selector });
  checkReplicatedTemplate(pods, "ReplicationController", replicas);
}

export const replicationControllerRules: KindRules = {
  name: "generated",
  warnings: replicationControllerWarnings,
  validate: checked(checkReplicationController),
  validateStatus: checkedChange(checkReplicaSetStatus),
  status: "all",
  generation: ["spec"],
  setDefaults: setReplicationControllerDefaults,
  dropDisabled: dropFromWorkload,
  table: {
    Desired: "spec.replicas",
    Current: "status.replicas",
    Ready: "status.readyReplicas",
    Selector: labelsCell("spec.selector"),
  },
  deletion: { dependents: "orphan" },
  selectableFields: fields(["status.replicas", "0"]),
  scale: mapSelectorScale,
};
