/**
 * Validation of Deployments, ReplicaSets and ReplicationControllers.
 *
 * @module
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { matchesLabelSelector } from "../../../../kube/selector.ts";
import { internalForm } from "../go-internal.ts";
import type { Deployment, ReplicaSet, ReplicationController } from "../workload-shapes.ts";
import { countOrPercent, isZero, notNegative, notOverHundred } from "./checks.ts";
import {
  MISMATCH,
  TEMPLATE,
  replicatedTemplateErrors,
  selectionErrors,
} from "./workload-selection.ts";
import { asGiven } from "../emptied.ts";

const TEXTS = {
  empty: "empty selector is invalid for deployment",
  invalid: "invalid label selector",
};

export function deploymentErrors(object: SentObject): FieldError[] {
  const { spec } = object as Deployment;
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const late = progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds;
  return [
    ...notNegative("spec.replicas", spec.replicas),
    ...selectionErrors(spec.selector, spec.template, TEXTS, () =>
      replicatedTemplateErrors("ReplicaSet", spec.template, spec.replicas),
    ),
    ...strategyErrors(spec.strategy),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
    ...notNegative("spec.progressDeadlineSeconds", progressDeadlineSeconds),
    ...(late
      ? [
          invalidValue(
            "spec.progressDeadlineSeconds",
            progressDeadlineSeconds,
            "must be greater than minReadySeconds",
          ),
        ]
      : []),
  ];
}

function strategyErrors({
  type = "",
  rollingUpdate,
}: Deployment["spec"]["strategy"]): FieldError[] {
  const field = "spec.strategy";
  if (type === "Recreate") {
    return rollingUpdate
      ? [
          forbidden(
            `${field}.rollingUpdate`,
            "may not be specified when strategy `type` is 'Recreate'",
          ),
        ]
      : [];
  }
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.DeploymentStrategy", { type, rollingUpdate });
    return [notSupported(field, shown, ["Recreate", "RollingUpdate"])];
  }
  const at = `${field}.rollingUpdate`;
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  return [
    ...countOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${at}.maxSurge`, maxSurge),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [
          invalidValue(
            `${at}.maxUnavailable`,
            maxUnavailable ?? 0,
            "may not be 0 when `maxSurge` is 0",
          ),
        ]
      : []),
    ...notOverHundred(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

export function replicaSetErrors(object: SentObject): FieldError[] {
  const { spec } = object as ReplicaSet;
  return [
    ...notNegative("spec.replicas", spec.replicas),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...selectionErrors(spec.selector, spec.template, TEXTS, () =>
      replicatedTemplateErrors("ReplicaSet", spec.template, spec.replicas),
    ),
  ];
}

export function replicationControllerErrors(object: SentObject): FieldError[] {
  const { spec } = object as ReplicationController;
  const errors = [
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required("spec.selector")] : []),
    ...notNegative("spec.replicas", spec.replicas),
  ];
  if (!spec.template) return [...errors, required(TEMPLATE)];
  const { labels } = spec.template.metadata ?? {};
  if (spec.selector && !matchesLabelSelector({ matchLabels: spec.selector }, labels)) {
    errors.push(
      invalidValue(
        `${TEMPLATE}.metadata.labels`,
        asGiven(spec.template.metadata, "labels"),
        MISMATCH,
      ),
    );
  }
  return [
    ...errors,
    ...replicatedTemplateErrors("ReplicationController", spec.template, spec.replicas),
  ];
}
