/**
 * Validation of the counts in the status of Deployments, ReplicaSets and DaemonSets.
 *
 * @module
 */
import { type FieldError, invalidValue } from "../../../../kube/field-errors.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Deployment } from "../workload-shapes.ts";
import { notNegative } from "./checks.ts";

interface Counts extends KubeObject {
  status?: Record<string, unknown>;
}

/** Counts are not negative, and no part is larger than the whole. */
function countErrors(
  object: KubeObject,
  counts: readonly string[],
  parts: readonly string[],
): FieldError[] {
  const { status = {} } = object as Counts;
  const count = (name: string): number => {
    const value = status[name];
    return typeof value === "number" ? value : 0;
  };
  const errors = counts.flatMap((name) => notNegative(`status.${name}`, count(name)));
  const total = count("replicas");
  for (const part of parts) {
    if (count(part) > total) {
      errors.push(
        invalidValue(`status.${part}`, count(part), "cannot be greater than status.replicas"),
      );
    }
  }
  if (count("availableReplicas") > count("readyReplicas")) {
    errors.push(
      invalidValue(
        "status.availableReplicas",
        count("availableReplicas"),
        "cannot be greater than readyReplicas",
      ),
    );
  }
  return errors;
}

export function deploymentStatusErrors(object: KubeObject, previous: KubeObject): FieldError[] {
  const { status } = object as Deployment;
  const { status: old } = previous as Deployment;
  const errors = countErrors(
    object,
    [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    ["updatedReplicas", "readyReplicas", "availableReplicas"],
  );
  if (old?.collisionCount !== undefined && (status?.collisionCount ?? 0) < old.collisionCount) {
    errors.push(
      invalidValue("status.collisionCount", status?.collisionCount ?? 0, "cannot be decremented"),
    );
  }
  return errors;
}

export const replicaSetStatusErrors = (object: KubeObject): FieldError[] =>
  countErrors(
    object,
    [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "terminatingReplicas",
      "observedGeneration",
    ],
    ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  );

export const daemonSetStatusErrors = (object: KubeObject): FieldError[] =>
  [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
  ].flatMap((name) => {
    const value = (object as Counts).status?.[name];
    return typeof value === "number" ? notNegative(`status.${name}`, value) : [];
  });
