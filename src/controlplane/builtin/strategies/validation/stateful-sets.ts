/**
 * Validation of StatefulSets.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { PodTemplate } from "../pod-shapes.ts";
import type { StatefulSet } from "../workload-shapes.ts";
import { countOrPercent, nameErrorsAt, notNegative } from "./checks.ts";
import { alwaysRestarts, templateErrors } from "./pods.ts";
import { claimSpecErrors } from "./storage.ts";
import { TEMPLATE, selectionErrors } from "./workload-selection.ts";

const RETENTION = ["Retain", "Delete"];

export function statefulSetErrors(object: KubeObject): FieldError[] {
  const { spec } = object as StatefulSet;
  const errors: FieldError[] = [];
  const { podManagementPolicy = "", updateStrategy, serviceName = "" } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    errors.push(
      invalidValue(
        "spec.podManagementPolicy",
        podManagementPolicy,
        "must be 'OrderedReady' or 'Parallel'",
      ),
    );
  }
  errors.push(...statefulStrategyErrors(updateStrategy));
  for (const part of ["whenDeleted", "whenScaled"] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[part] ?? "";
    if (!RETENTION.includes(policy)) {
      errors.push(
        notSupported(`spec.persistentVolumeClaimRetentionPolicy.${part}`, policy, RETENTION),
      );
    }
  }
  errors.push(
    ...notNegative("spec.replicas", spec.replicas),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...notNegative("spec.ordinals.start", spec.ordinals?.start),
    ...selectionErrors(spec.selector, spec.template, "empty selector is invalid for statefulset"),
    ...templateErrors(TEMPLATE, withClaims(object as StatefulSet)),
    ...alwaysRestarts(TEMPLATE, spec.template),
  );
  if (serviceName !== "") {
    errors.push(...nameErrorsAt("spec.serviceName", serviceName, dns1123LabelErrors));
  }
  return errors;
}

/** The template as its pods will be: each claim template brings a volume of its name. */
function withClaims({ spec }: StatefulSet): PodTemplate {
  const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => {
    const { name = "" } = metadata;
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const own = spec.template.spec.volumes ?? [];
  const names = new Set(claims.map(({ name }) => name));
  const volumes = [...claims, ...own.filter(({ name }) => !names.has(name))];
  return { ...spec.template, spec: { ...spec.template.spec, volumes } };
}

/** What a new set's claims lack. */
export function newStatefulSetErrors(object: KubeObject): FieldError[] {
  const { volumeClaimTemplates = [] } = (object as StatefulSet).spec;
  return volumeClaimTemplates.flatMap(({ spec }, index) =>
    claimSpecErrors(`spec.volumeClaimTemplates[${index}].spec`, spec),
  );
}

function statefulStrategyErrors({
  type = "",
  rollingUpdate,
}: StatefulSet["spec"]["updateStrategy"]): FieldError[] {
  const field = "spec.updateStrategy";
  if (type === "") return [required(field)];
  if (type === "OnDelete") {
    if (!rollingUpdate) return [];
    const shown = {
      Partition: rollingUpdate.partition ?? 0,
      MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
    };
    return [
      invalidValue(
        `${field}.rollingUpdate`,
        shown,
        "only allowed for updateStrategy 'RollingUpdate'",
      ),
    ];
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: null };
    return [invalidValue(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return [
    ...notNegative(`${field}.rollingUpdate.partition`, rollingUpdate?.partition),
    ...countOrPercent(`${field}.rollingUpdate.maxUnavailable`, rollingUpdate?.maxUnavailable),
  ];
}

const STATEFUL_UPDATES =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export function statefulSetUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = ({ spec }: StatefulSet): unknown => [
    spec.selector,
    spec.serviceName ?? "",
    spec.podManagementPolicy,
    spec.volumeClaimTemplates ?? [],
  ];
  return isDeepStrictEqual(fixed(object as StatefulSet), fixed(old as StatefulSet))
    ? []
    : [forbidden("spec", STATEFUL_UPDATES)];
}
