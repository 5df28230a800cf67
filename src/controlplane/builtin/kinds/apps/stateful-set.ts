import type * as apps from "../../../../generated/k8s/apps-v1.ts";
import { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import {
  checkAtMostHundred,
  checkCountOrPercent,
  checkNotNegative,
  checkUnchangedForm,
  checked,
  checkedChange,
  warningsOf,
} from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { checkPodTemplateMetadata, checkTemplate } from "../../shared/workloads/pod-spec.ts";
import type { PodTemplate } from "../../shared/pods/pod-shapes.ts";
import { templateWarnings } from "../../shared/workloads/pod-warnings.ts";
import type { LabelSelector, PersistentVolumeClaim, Shaped } from "../../shared/shapes.ts";
import { checkClaimSpec } from "../../shared/volumes/claim-spec.ts";
import { warnOfClaimSize } from "../../shared/volumes/warnings.ts";
import { checkEndless, checkSelection } from "../../shared/workloads/selection.ts";
import { checkCounts } from "../../shared/workloads/workload-status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import {
  HISTORY,
  checkCollisions,
  checkSelector,
  isZero,
  readyOfDesired,
} from "./workload-rules.ts";
import { selectorScale } from "../../shared/workloads/scale.ts";

function statefulSetWarnings(object: StatefulSet, old: SentObject | undefined): string[] {
  const { revisionHistoryLimit: limit = 0, volumeClaimTemplates = [] } = object.spec;
  const warnings = templateWarnings(object, old);
  for (const [index, { spec }] of volumeClaimTemplates.entries()) {
    const field = `spec.volumeClaimTemplates[${index}]${old ? ".Spec" : ""}`;
    warnings.push(...warningsOf(spec, warnOfClaimSize, field));
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

export type StatefulSet = SentObject & {
  spec: Shaped<Omit<apps.StatefulSetSpec, Typed>> & {
    selector?: LabelSelector;
    template: PodTemplate;
    updateStrategy: Shaped<apps.StatefulSetUpdateStrategy>;
    volumeClaimTemplates?: PersistentVolumeClaim[];
  };
  status?: Partial<Shaped<apps.StatefulSetStatus>>;
};

type Typed = "selector" | "template" | "updateStrategy" | "volumeClaimTemplates";

/** @param isFull - whether the template is validated in full */
function checkSpec(set: Check<StatefulSet>, isNew: boolean, isFull = true): void {
  const spec = set.at("spec");
  const { podManagementPolicy: policy = "", selector } = spec.value;
  if (policy !== "OrderedReady" && policy !== "Parallel") {
    spec.at("podManagementPolicy").invalid("must be 'OrderedReady' or 'Parallel'", policy);
  }
  checkStrategy(spec.at("updateStrategy"));
  for (const part of ["whenDeleted", "whenScaled"] as const) {
    spec.at("persistentVolumeClaimRetentionPolicy").at(part).oneOf(["Retain", "Delete"]);
  }
  if (isNew) spec.at("volumeClaimTemplates").each((claim) => checkClaimSpec(claim.at("spec")));
  checkNotNegative(spec.at("replicas"));
  checkNotNegative(spec.at("minReadySeconds"));
  checkNotNegative(spec.at("ordinals").at("start"));
  if (isNew) spec.at("serviceName").nameIfGiven(dns1123LabelErrors);
  const texts = { empty: "empty selector is invalid for statefulset", invalid: "" };
  if (checkSelector(spec.at("selector"), texts)) {
    const pods = spec.child("template", withClaims(set.value));
    checkSelection(pods, selector);
    if (isFull) checkTemplate(pods);
    // Validated a second time, whatever the first result.
    checkPodTemplateMetadata(pods);
  }
  checkEndless(spec.at("template"), "StatefulSet");
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

function checkStrategy(strategy: Check<StatefulSet["spec"]["updateStrategy"]>): void {
  const { type, rollingUpdate } = strategy.value;
  const rolling = strategy.at("rollingUpdate");
  if (!strategy.as(type).given()) return;
  if (type === "RollingUpdate") {
    checkNotNegative(rolling.at("partition"));
    rolling.at("maxUnavailable").ifSet((count) => {
      checkCountOrPercent(count);
      if (isZero(count.value)) count.invalid("cannot be 0");
      checkAtMostHundred(count);
    });
  } else if (type !== "OnDelete") {
    const shown = internalForm("apps.StatefulSetUpdateStrategy", { type, rollingUpdate });
    strategy.invalid("must be 'RollingUpdate' or 'OnDelete'", shown);
  } else if (rollingUpdate) {
    const shown = internalForm("apps.RollingUpdateStatefulSetStrategy", rollingUpdate);
    rolling.invalid("only allowed for updateStrategy 'RollingUpdate'", shown);
  }
}

function checkStatefulSetUpdate(set: Check<StatefulSet>, old: StatefulSet): void {
  const spec = set.at("spec");
  const { spec: before } = old;
  const wasWrong = Check.errorsOf(old, (it) => checkSpec(it, false)).length > 0;
  checkSpec(set, false, !wasWrong);
  spec.at("selector").unchanged(before.selector);
  checkUnchangedForm(
    spec.at("volumeClaimTemplates"),
    "[]core.PersistentVolumeClaim",
    before.volumeClaimTemplates,
  );
  spec.child("serviceName", spec.value.serviceName ?? "").unchanged(before.serviceName ?? "");
  spec.at("podManagementPolicy").unchanged(before.podManagementPolicy);
}

function checkStatefulSetStatus(set: Check<StatefulSet>, old: StatefulSet): void {
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  const counts = ["replicas", ...parts, "observedGeneration", "collisionCount"];
  checkCounts(set, counts, parts, "status.readyReplicas");
  checkCollisions(set, old);
}

export const statefulSetRules: KindRules = {
  warnings: statefulSetWarnings,
  validateCreate: checked((set: Check<StatefulSet>) => checkSpec(set, true)),
  validateUpdate: checkedChange(checkStatefulSetUpdate),
  validateStatus: checkedChange(checkStatefulSetStatus),
  name: "label",
  status: "all",
  generation: ["spec"],
  setDefaults: setStatefulSetDefaults,
  dropDisabled: dropFromWorkload,
  table: { Ready: readyOfDesired },
  scale: selectorScale,
  writtenNulls: { spec: { selector: null } },
};
