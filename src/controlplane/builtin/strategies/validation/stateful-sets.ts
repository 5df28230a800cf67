/**
 * Validation of StatefulSets.
 *
 * @module
 */
import { sameJson } from "../../../../kube/json.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { PodTemplate } from "../pod-shapes.ts";
import type { StatefulSet } from "../workload-shapes.ts";
import { internalForm } from "../go-internal.ts";
import { notNegative } from "./checks.ts";
import { templateErrors, templateMetadataErrors } from "./pods.ts";
import { claimSpecErrors } from "./volume-claims.ts";
import { TEMPLATE, endlessErrors, selectionErrors } from "./workload-selection.ts";

const TEXTS = { empty: "empty selector is invalid for statefulset", invalid: "" };
const RETENTION = ["Retain", "Delete"];

export function newStatefulSetErrors(object: SentObject): FieldError[] {
  const { volumeClaimTemplates = [], serviceName = "" } = (object as StatefulSet).spec;
  const claims = volumeClaimTemplates.flatMap(({ spec }, index) =>
    claimSpecErrors(`spec.volumeClaimTemplates[${index}].spec`, spec),
  );
  const service =
    serviceName === "" ? [] : nameErrorsAt("spec.serviceName", serviceName, dns1123LabelErrors);
  return specErrors(object as StatefulSet, { claims, service, template: true });
}

/** What is looked at in one case and not in another. */
interface Extent {
  readonly claims: FieldError[];
  readonly service: FieldError[];
  /** Whether the pods' spec is looked at. */
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
      // Looked at a second time, whatever was said before.
      ...templateMetadataErrors(TEMPLATE, pods),
    ]),
    ...endlessErrors("StatefulSet", spec.template),
  ];
}

/** The template as its pods will be: each claim template brings a volume of its name. */
function withClaims({ spec }: StatefulSet): PodTemplate {
  // Claims of one name are one volume.
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
  return notNegative(`${field}.rollingUpdate.partition`, rollingUpdate?.partition);
}

const STATEFUL_UPDATES =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export function statefulSetUpdateErrors(object: SentObject, old: SentObject): FieldError[] {
  const fixed = ({ spec }: StatefulSet): unknown => [
    spec.selector,
    spec.serviceName ?? "",
    spec.podManagementPolicy,
    spec.volumeClaimTemplates ?? [],
  ];
  const extent = { claims: [], service: [], template: true };
  const wasWrong = specErrors(old as StatefulSet, extent).length > 0;
  const errors = specErrors(object as StatefulSet, { ...extent, template: !wasWrong });
  return sameJson(fixed(object as StatefulSet), fixed(old as StatefulSet))
    ? errors
    : [...errors, forbidden("spec", STATEFUL_UPDATES)];
}
