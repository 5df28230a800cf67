/**
 * Validation of Deployments, ReplicaSets, ReplicationControllers, StatefulSets and DaemonSets.
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
import { matchesLabelSelector } from "../../../../kube/selector.ts";
import type { PodTemplate } from "../pod-shapes.ts";
import type { IntOrString, LabelSelector } from "../shapes.ts";
import type {
  DaemonSet,
  Deployment,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../workload-shapes.ts";
import {
  countOrPercent,
  nameErrorsAt,
  notNegative,
  notOverHundred,
  selectorErrors,
  selectsNothing,
} from "./checks.ts";
import { alwaysRestarts, templateErrors } from "./pods.ts";
import { claimSpecErrors } from "./storage.ts";

const MISMATCH = "`selector` does not match template `labels`";
const IMMUTABLE = "field is immutable";
const TEMPLATE = "spec.template";

/** The selector of a workload, and that its template's labels match it. */
function selectionErrors(
  selector: LabelSelector | undefined,
  template: PodTemplate,
  emptyMessage: string,
): FieldError[] {
  const labels = template.metadata?.labels;
  const mismatch = invalidValue(`${TEMPLATE}.metadata.labels`, labels ?? null, MISMATCH);
  if (!selector) return [required("spec.selector"), mismatch];
  const errors = selectorErrors("spec.selector", selector);
  if (errors.length > 0) {
    return [...errors, invalidValue("spec.selector", selector, "invalid label selector")];
  }
  if (selectsNothing(selector)) return [invalidValue("spec.selector", selector, emptyMessage)];
  return matchesLabelSelector(selector, labels) ? [] : [mismatch];
}

/** The pods of a set that keeps their number may not end by themselves. */
function deadlineErrors({ spec }: PodTemplate): FieldError[] {
  return spec.activeDeadlineSeconds === undefined
    ? []
    : [
        forbidden(
          `${TEMPLATE}.spec.activeDeadlineSeconds`,
          "activeDeadlineSeconds in ReplicaSet is not Supported",
        ),
      ];
}

/** Selectors never change. */
function selectorChangeErrors(
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined,
): FieldError[] {
  return isDeepStrictEqual(selector ?? null, old ?? null)
    ? []
    : [invalidValue("spec.selector", selector ?? null, IMMUTABLE)];
}

const isZero = (value: IntOrString | undefined): boolean =>
  value === undefined || value === 0 || (typeof value === "string" && /^0+%$/.test(value));

export function deploymentErrors(object: KubeObject): FieldError[] {
  const { spec } = object as Deployment;
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const late = progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds;
  return [
    ...notNegative("spec.replicas", spec.replicas),
    ...selectionErrors(spec.selector, spec.template, "empty selector is invalid for deployment"),
    ...templateErrors(TEMPLATE, spec.template),
    ...alwaysRestarts(TEMPLATE, spec.template),
    ...deadlineErrors(spec.template),
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
    // The server prints its internal struct here.
    const shown = { Type: type, RollingUpdate: null };
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

export function deploymentUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return selectorChangeErrors(
    (object as Deployment).spec.selector,
    (old as Deployment).spec.selector,
  );
}

export function replicaSetErrors(object: KubeObject): FieldError[] {
  const { spec } = object as ReplicaSet;
  return [
    ...notNegative("spec.replicas", spec.replicas),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...selectionErrors(spec.selector, spec.template, "empty selector is invalid for deployment"),
    ...templateErrors(TEMPLATE, spec.template),
    ...alwaysRestarts(TEMPLATE, spec.template),
  ];
}

export function replicaSetUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return selectorChangeErrors(
    (object as ReplicaSet).spec.selector,
    (old as ReplicaSet).spec.selector,
  );
}

export function replicationControllerErrors(object: KubeObject): FieldError[] {
  const { spec } = object as ReplicationController;
  const errors = [
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required("spec.selector")] : []),
    ...notNegative("spec.replicas", spec.replicas),
  ];
  if (!spec.template) return [...errors, required(TEMPLATE)];
  const { labels } = spec.template.metadata ?? {};
  if (spec.selector && !matchesLabelSelector({ matchLabels: spec.selector }, labels)) {
    errors.push(invalidValue(`${TEMPLATE}.metadata.labels`, labels ?? null, MISMATCH));
  }
  return [
    ...errors,
    ...templateErrors(TEMPLATE, spec.template),
    ...alwaysRestarts(TEMPLATE, spec.template),
  ];
}

export function daemonSetErrors(object: KubeObject): FieldError[] {
  const { spec } = object as DaemonSet;
  return [
    ...selectionErrors(spec.selector, spec.template, "empty selector is invalid for daemonset"),
    ...templateErrors(TEMPLATE, spec.template),
    ...alwaysRestarts(TEMPLATE, spec.template),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...daemonStrategyErrors(spec.updateStrategy),
    ...notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

function daemonStrategyErrors({
  type = "",
  rollingUpdate = {},
}: DaemonSet["spec"]["updateStrategy"]): FieldError[] {
  const field = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: null };
    return [notSupported(field, shown, ["RollingUpdate", "OnDelete"])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const at = `${field}.rollingUpdate`;
  const errors = [
    ...countOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...notOverHundred(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${at}.maxSurge`, maxSurge),
    ...notOverHundred(`${at}.maxSurge`, maxSurge),
  ];
  if (errors.length > 0) return errors;
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(
      invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"),
    );
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
  return errors;
}

export function daemonSetUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return selectorChangeErrors(
    (object as DaemonSet).spec.selector,
    (old as DaemonSet).spec.selector,
  );
}

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
