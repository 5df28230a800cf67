/** Rules of the kind StatefulSet. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import {
  countOrPercent,
  immutable,
  immutableForm,
  notNegative,
  notOverHundred,
} from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { templateErrors, templateMetadataErrors } from "../../shared/pods/pod-spec.ts";
import type { PodTemplate } from "../../shared/pods/shapes.ts";
import { templateWarnings } from "../../shared/pods/warnings.ts";
import type { IntOrString, LabelSelector, PersistentVolumeClaim } from "../../shared/shapes.ts";
import { claimSpecErrors } from "../../shared/volumes/claim-spec.ts";
import { claimSizeWarnings } from "../../shared/volumes/warnings.ts";
import { TEMPLATE_CONTAINERS } from "../../shared/workloads/columns.ts";
import { TEMPLATE, endlessErrors } from "../../shared/workloads/selection.ts";
import type { ReplicaStatus } from "../../shared/workloads/shapes.ts";
import { countErrors } from "../../shared/workloads/status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, containerColumns, nameColumn, printer } from "../../tables/column.ts";
import { HISTORY, collisionErrors, isZero, readyOfDesired, selectionErrors } from "./shared.ts";
import { selectorScale } from "../../shared/workloads/scale.ts";
import { type Deployment } from "./shared.ts";

/** Warnings about a StatefulSet. */
function statefulSetWarnings(object: StatefulSet, old: SentObject | undefined): string[] {
  const { revisionHistoryLimit: limit = 0, volumeClaimTemplates = [] } = object.spec;
  const warnings = templateWarnings(object, old);
  for (const [index, { spec }] of volumeClaimTemplates.entries()) {
    const field = `spec.volumeClaimTemplates[${index}]${old ? ".Spec" : ""}`;
    warnings.push(...claimSizeWarnings(field, spec));
  }
  return limit < 0
    ? [
        ...warnings,
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
      ]
    : warnings;
}

function setStatefulSetDefaults(object: StatefulSet): void {
  const { spec } = object;
  setPodTemplateDefaults(spec.template);
  spec.podManagementPolicy ??= "OrderedReady";
  if (spec.updateStrategy.type === undefined) {
    spec.updateStrategy.type = "RollingUpdate";
    spec.updateStrategy.rollingUpdate ??= {};
  }
  if (spec.updateStrategy.type === "RollingUpdate" && spec.updateStrategy.rollingUpdate) {
    spec.updateStrategy.rollingUpdate.partition ??= 0;
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
  }
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= "Retain";
  retention.whenScaled ??= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= HISTORY;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    claim.spec.volumeMode ??= "Filesystem";
    (claim.status ??= {}).phase ??= "Pending";
  }
}

export interface StatefulSet extends SentObject {
  spec: {
    replicas?: number;
    selector?: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy: {
      type?: string;
      rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString };
    };
    volumeClaimTemplates?: PersistentVolumeClaim[];
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    ordinals?: { start?: number };
  };
  status?: ReplicaStatus & {
    currentReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    collisionCount?: number;
  };
}

const TEXTS = { empty: "empty selector is invalid for statefulset", invalid: "" };
const RETENTION = ["Retain", "Delete"];

function newStatefulSetErrors(object: StatefulSet): FieldError[] {
  const { volumeClaimTemplates = [], serviceName = "" } = object.spec;
  const claims = volumeClaimTemplates.flatMap(({ spec }, index) =>
    claimSpecErrors(`spec.volumeClaimTemplates[${index}].spec`, spec),
  );
  const service =
    serviceName === "" ? [] : nameErrorsAt("spec.serviceName", serviceName, dns1123LabelErrors);
  return specErrors(object, { claims, service, template: true });
}

/** The parts of the validation that depend on the caller. */
interface Extent {
  readonly claims: FieldError[];
  readonly service: FieldError[];
  /** Whether the template is validated in full. */
  readonly template: boolean;
}

function specErrors(set: StatefulSet, { claims, service, template }: Extent): FieldError[] {
  const { spec } = set;
  const { podManagementPolicy = "" } = spec;
  const errors: FieldError[] = [];
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    errors.push(invalidValue("spec.podManagementPolicy", podManagementPolicy, detail));
  }
  errors.push(...statefulStrategyErrors(spec.updateStrategy));
  for (const part of ["whenDeleted", "whenScaled"] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[part] ?? "";
    if (!RETENTION.includes(policy)) {
      errors.push(
        notSupported(`spec.persistentVolumeClaimRetentionPolicy.${part}`, policy, RETENTION),
      );
    }
  }
  const pods = withClaims(set);
  return [
    ...errors,
    ...claims,
    ...notNegative("spec.replicas", spec.replicas),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...notNegative("spec.ordinals.start", spec.ordinals?.start),
    ...service,
    ...selectionErrors(spec.selector, pods, TEXTS, () => [
      ...(template ? templateErrors(TEMPLATE, pods) : []),
      // Validated a second time, whatever the first result.
      ...templateMetadataErrors(TEMPLATE, pods),
    ]),
    ...endlessErrors("StatefulSet", spec.template),
  ];
}

/** The template with the volumes of its claim templates, as its pods will have them. */
function withClaims({ spec }: StatefulSet): PodTemplate {
  // Claim templates of one name make one volume.
  const names = new Set(
    (spec.volumeClaimTemplates ?? []).map(({ metadata: { name = "" } }) => name),
  );
  const claims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = spec.template.spec.volumes ?? [];
  const volumes = [...claims, ...own.filter(({ name }) => !names.has(name))];
  const { subdomain, hostname, ...pod } = spec.template.spec;
  const named = claims.length === 0 && subdomain === undefined && hostname === undefined;
  return named ? spec.template : { ...spec.template, spec: { ...pod, volumes } };
}

function statefulStrategyErrors({
  type = "",
  rollingUpdate,
}: StatefulSet["spec"]["updateStrategy"]): FieldError[] {
  const field = "spec.updateStrategy";
  if (type === "") return [required(field)];
  if (type === "OnDelete") {
    if (!rollingUpdate) return [];
    const shown = internalForm("apps.RollingUpdateStatefulSetStrategy", rollingUpdate);
    return [
      invalidValue(
        `${field}.rollingUpdate`,
        shown,
        "only allowed for updateStrategy 'RollingUpdate'",
      ),
    ];
  }
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.StatefulSetUpdateStrategy", { type, rollingUpdate });
    return [invalidValue(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return [
    ...notNegative(`${field}.rollingUpdate.partition`, rollingUpdate?.partition),
    ...unavailableErrors(`${field}.rollingUpdate.maxUnavailable`, rollingUpdate?.maxUnavailable),
  ];
}

function unavailableErrors(field: string, count: IntOrString | undefined): FieldError[] {
  if (count === undefined) return [];
  return [
    ...countOrPercent(field, count),
    ...(isZero(count) ? [invalidValue(field, count, "cannot be 0")] : []),
    ...notOverHundred(field, count),
  ];
}

function statefulSetUpdateErrors(object: StatefulSet, old: StatefulSet): FieldError[] {
  const extent = { claims: [], service: [], template: true };
  const wasWrong = specErrors(old, extent).length > 0;
  const errors = specErrors(object, { ...extent, template: !wasWrong });
  const [spec, previous] = [object.spec, old.spec];
  return [
    ...errors,
    ...immutable("spec.selector", spec.selector, previous.selector),
    ...immutableForm(
      "spec.volumeClaimTemplates",
      "[]core.PersistentVolumeClaim",
      spec.volumeClaimTemplates,
      previous.volumeClaimTemplates,
    ),
    ...immutable("spec.serviceName", spec.serviceName ?? "", previous.serviceName ?? ""),
    ...immutable(
      "spec.podManagementPolicy",
      spec.podManagementPolicy,
      previous.podManagementPolicy,
    ),
  ];
}

const statefulSetStatusErrors = (object: Deployment, previous: SentObject): FieldError[] => [
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

/** The rules of StatefulSets. */
export const statefulSetRules: KindRules = {
  warnings: statefulSetWarnings,
  validateCreate: newStatefulSetErrors,
  validateUpdate: statefulSetUpdateErrors,
  validateStatus: statefulSetStatusErrors,
  name: "label",
  status: "all",
  generation: ["spec"],
  setDefaults: setStatefulSetDefaults,
  dropDisabled: dropFromWorkload,
  table: printer([nameColumn, readyOfDesired, ageColumn, ...containerColumns(TEMPLATE_CONTAINERS)]),
  scale: selectorScale,
  writtenNulls: { spec: { selector: null } },
  columnTexts: {
    Ready: "Number of the pod with ready state",
  },
};
