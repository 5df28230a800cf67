import type { Check } from "../../../../kube/check.ts";
import { checkNotNegative, checked, checkedChange } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { namedTemplateWarnings } from "../../shared/workloads/pod-warnings.ts";
import type { ReplicaSet } from "../../shared/workloads/workload-shapes.ts";
import { checkReplicaSetStatus } from "../../shared/workloads/workload-status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import type { KindRules } from "../../kind-rules.ts";
import { selectorCell } from "../../tables/cells.ts";
import { checkReplicas, checkSelectorChange } from "./workload-rules.ts";
import { selectorScale } from "../../shared/workloads/scale.ts";

function setReplicaSetDefaults(object: ReplicaSet): void {
  const { spec } = object;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
}

function checkReplicaSet(set: Check<ReplicaSet>): void {
  const spec = set.at("spec");
  checkNotNegative(spec.at("replicas"));
  checkNotNegative(spec.at("minReadySeconds"));
  checkReplicas(spec);
}

export const replicaSetRules: KindRules = {
  warnings: namedTemplateWarnings,
  validate: checked(checkReplicaSet),
  validateUpdate: checkedChange(checkSelectorChange),
  validateStatus: checkedChange(checkReplicaSetStatus),
  status: "all",
  generation: ["spec"],
  setDefaults: setReplicaSetDefaults,
  dropDisabled: dropFromWorkload,
  table: {
    Desired: "spec.replicas",
    Current: "status.replicas",
    Ready: "status.readyReplicas",
    Selector: selectorCell("spec.selector"),
  },
  scale: selectorScale,
  writtenNulls: { spec: { selector: null } },
};
