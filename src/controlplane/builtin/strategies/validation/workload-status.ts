/**
 * Validation of the counts in the status of workloads.
 *
 * @module
 */
import { type FieldError, invalidValue } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { Deployment } from "../workload-shapes.ts";
import { notNegative } from "./checks.ts";

interface Counts extends SentObject {
  status?: Record<string, unknown>;
}

/** Counts are not negative, and no part is larger than the whole. */
function countErrors(
  object: SentObject,
  counts: readonly string[],
  parts: readonly string[],
  ready = "readyReplicas",
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
        `cannot be greater than ${ready}`,
      ),
    );
  }
  return errors;
}

/** The count of collisions of names only grows. */
function collisionErrors(object: SentObject, previous: SentObject): FieldError[] {
  const { collisionCount: before } = (previous as Deployment).status ?? {};
  const { collisionCount: now } = (object as Deployment).status ?? {};
  return before !== undefined && (now === undefined || now < before)
    ? [invalidValue("status.collisionCount", now ?? 0, "cannot be decremented")]
    : [];
}

export const deploymentStatusErrors = (object: SentObject, previous: SentObject): FieldError[] => [
  ...countErrors(
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
  ),
  ...collisionErrors(object, previous),
];

export const statefulSetStatusErrors = (object: SentObject, previous: SentObject): FieldError[] => [
  ...countErrors(
    object,
    [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ],
    ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    "status.readyReplicas",
  ),
  ...collisionErrors(object, previous),
];

export const replicaSetStatusErrors = (object: SentObject): FieldError[] =>
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

export const daemonSetStatusErrors = (object: SentObject, previous: SentObject): FieldError[] => [
  ...countErrors(
    object,
    [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
    [],
  ),
  ...collisionErrors(object, previous),
];
