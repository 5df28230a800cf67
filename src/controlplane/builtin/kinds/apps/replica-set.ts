/** Rules of the kind ReplicaSet. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import { notNegative } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { namedTemplateWarnings } from "../../shared/pods/warnings.ts";
import { TEMPLATE_CONTAINERS, integerColumn } from "../../shared/workloads/columns.ts";
import { replicatedTemplateErrors } from "../../shared/workloads/selection.ts";
import type { ReplicaSet } from "../../shared/workloads/shapes.ts";
import { replicaSetStatusErrors } from "../../shared/workloads/status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  ageColumn,
  containerColumns,
  nameColumn,
  printer,
  selectorColumn,
} from "../../tables/column.ts";
import { TEXTS, selectionErrors, selectorUpdateErrors } from "./shared.ts";
import { selectorScale } from "../../shared/workloads/scale.ts";

function setReplicaSetDefaults(object: ReplicaSet): void {
  const { spec } = object;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
}

function replicaSetErrors(object: ReplicaSet): FieldError[] {
  const { spec } = object;
  return [
    ...notNegative("spec.replicas", spec.replicas),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...selectionErrors(spec.selector, spec.template, TEXTS, () =>
      replicatedTemplateErrors("ReplicaSet", spec.template, spec.replicas),
    ),
  ];
}

/** The rules of ReplicaSets. */
export const replicaSetRules: KindRules = {
  warnings: namedTemplateWarnings,
  validate: replicaSetErrors,
  validateUpdate: selectorUpdateErrors,
  validateStatus: replicaSetStatusErrors,
  status: "all",
  generation: ["spec"],
  setDefaults: setReplicaSetDefaults,
  dropDisabled: dropFromWorkload,
  table: printer([
    nameColumn,
    integerColumn("Desired", "spec.replicas"),
    integerColumn("Current", "status.replicas"),
    integerColumn("Ready", "status.readyReplicas"),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    selectorColumn("spec.selector"),
  ]),
  scale: selectorScale,
  writtenNulls: { spec: { selector: null } },
  columnFields: {
    Desired: "apps.v1.ReplicaSetSpec.replicas",
    Current: "apps.v1.ReplicaSetStatus.replicas",
    Ready: "apps.v1.ReplicaSetStatus.readyReplicas",
    Selector: "apps.v1.ReplicaSetSpec.selector",
  },
};
