/**
 * Validation of pods and pod templates, and of what an update may change.
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
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Pod, PodSpec, PodTemplate, Toleration } from "../shapes.ts";
import { labelErrors, nameErrorsAt } from "./checks.ts";
import { containersErrors, resourcesErrors } from "./containers.ts";
import { volumesErrors } from "./volumes.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const UPDATES =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Everything wrong with a new or changed Pod. */
export function podErrors(object: KubeObject): FieldError[] {
  return podSpecErrors("spec", (object as Pod).spec);
}

/** Everything wrong with the template of a workload, its labels included. */
export function templateErrors(field: string, template: PodTemplate): FieldError[] {
  return [
    ...labelErrors(`${field}.labels`, template.metadata?.labels),
    ...podSpecErrors(`${field}.spec`, template.spec),
  ];
}

function podSpecErrors(field: string, spec: PodSpec): FieldError[] {
  const errors = [
    ...volumesErrors(`${field}.volumes`, spec.volumes),
    ...containersErrors(field, spec),
  ];
  const { restartPolicy = "", dnsPolicy = "" } = spec;
  if (!RESTART_POLICIES.includes(restartPolicy)) {
    errors.push(notSupported(`${field}.restartPolicy`, restartPolicy, RESTART_POLICIES));
  }
  if (!DNS_POLICIES.includes(dnsPolicy)) {
    errors.push(notSupported(`${field}.dnsPolicy`, dnsPolicy, DNS_POLICIES));
  }
  errors.push(...labelErrors(`${field}.nodeSelector`, spec.nodeSelector));
  if (spec.serviceAccountName) {
    errors.push(
      ...nameErrorsAt(
        `${field}.serviceAccountName`,
        spec.serviceAccountName,
        dns1123SubdomainErrors,
      ),
    );
  }
  if (spec.nodeName) {
    errors.push(...nameErrorsAt(`${field}.nodeName`, spec.nodeName, dns1123SubdomainErrors));
  }
  if (spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds < 1) {
    errors.push(
      invalidValue(
        `${field}.activeDeadlineSeconds`,
        spec.activeDeadlineSeconds,
        "must be between 1 and 2147483647, inclusive",
      ),
    );
  }
  for (const part of ["hostname", "subdomain"] as const) {
    const name = spec[part];
    if (name) errors.push(...nameErrorsAt(`${field}.${part}`, name, dns1123LabelErrors));
  }
  for (const [index, toleration] of (spec.tolerations ?? []).entries()) {
    errors.push(...tolerationErrors(`${field}.tolerations[${index}]`, toleration));
  }
  if (spec.resources) errors.push(...resourcesErrors(`${field}.resources`, spec.resources));
  return errors;
}

function tolerationErrors(at: string, toleration: Toleration): FieldError[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key === "" && operator !== "Exists") {
    errors.push(
      invalidValue(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push(
      invalidValue(
        `${at}.effect`,
        effect,
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      ),
    );
  }
  if (operator === "Exists" && value !== "") {
    errors.push(
      invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"),
    );
  }
  if (!["", "Equal", "Exists"].includes(operator)) {
    errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
  }
  if (effect !== "" && !EFFECTS.includes(effect)) {
    errors.push(notSupported(`${at}.effect`, effect, EFFECTS));
  }
  return errors;
}

/** Scheduling gates hold a new pod back; one that has a node already contradicts them. */
export function newPodErrors(object: KubeObject): FieldError[] {
  const { spec } = object as Pod;
  return (spec.schedulingGates ?? []).length > 0 && spec.nodeName
    ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
    : [];
}

/** Of a pod's spec, an update changes images, a few limits in one direction, and adds tolerations. */
export function podUpdateErrors(object: KubeObject, previous: KubeObject): FieldError[] {
  const { spec } = object as Pod;
  const { spec: old } = previous as Pod;
  if (
    spec.containers?.length !== old.containers?.length ||
    spec.initContainers?.length !== old.initContainers?.length
  ) {
    const list =
      spec.containers?.length === old.containers?.length ? "initContainers" : "containers";
    return [forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
  }
  const errors = [...deadlineErrors(spec, old), ...addedTolerationErrors(spec, old)];
  if (errors.length > 0) return errors;
  return isDeepStrictEqual(mutedSpec(spec, old, previous), mutedSpec(old, old, previous))
    ? gateErrors(spec, old)
    : [forbidden("spec", UPDATES)];
}

function deadlineErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const field = "spec.activeDeadlineSeconds";
  const { activeDeadlineSeconds: now } = spec;
  const { activeDeadlineSeconds: before } = old;
  if (before === undefined || now === before) return [];
  if (now === undefined) {
    return [invalidValue(field, null, "must not update from a positive integer to nil value")];
  }
  return now > before
    ? [invalidValue(field, now, "must be less than or equal to previous value")]
    : [];
}

function addedTolerationErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const bare = (toleration: Toleration): Toleration => {
    const copy = { ...toleration };
    delete copy.tolerationSeconds;
    return copy;
  };
  const kept = (old.tolerations ?? []).every((before) =>
    (spec.tolerations ?? []).some((now) => isDeepStrictEqual(bare(now), bare(before))),
  );
  return kept
    ? []
    : [
        forbidden(
          "spec.tolerations",
          "existing toleration can not be modified except its tolerationSeconds",
        ),
      ];
}

/** The spec with everything that may change as it was. */
function mutedSpec(spec: PodSpec, old: PodSpec, previous: KubeObject): PodSpec {
  const images = (
    list: readonly { image?: string }[] | null | undefined,
    before: readonly { image?: string }[] | null | undefined,
  ): unknown =>
    list?.map((container, index) => ({ ...container, image: before?.[index]?.image ?? "" }));
  const muted: Record<string, unknown> = {
    ...spec,
    containers: images(spec.containers, old.containers),
    tolerations: old.tolerations,
    activeDeadlineSeconds: old.activeDeadlineSeconds,
  };
  if (spec.initContainers)
    muted["initContainers"] = images(spec.initContainers, old.initContainers);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    muted["terminationGracePeriodSeconds"] = old.terminationGracePeriodSeconds;
  }
  delete muted["schedulingGates"];
  // Until its gates are gone, where a pod may run can still be narrowed down.
  if ((old.schedulingGates ?? []).length > 0 && !previous.metadata.deletionTimestamp) {
    muted["nodeSelector"] = old.nodeSelector;
    muted["affinity"] = old.affinity;
  }
  return muted as unknown as PodSpec;
}

function gateErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const errors = (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
  const lost = Object.entries(old.nodeSelector ?? {}).some(
    ([key, value]) => spec.nodeSelector?.[key] !== value,
  );
  if (before.size > 0 && lost) {
    errors.push(
      invalidValue(
        "spec.nodeSelector",
        spec.nodeSelector ?? {},
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      ),
    );
  }
  return errors;
}

/** Workloads keep their pods running: templates restart always. */
export function alwaysRestarts(field: string, { spec }: PodTemplate): FieldError[] {
  const { restartPolicy = "" } = spec;
  return restartPolicy === "Always"
    ? []
    : [notSupported(`${field}.spec.restartPolicy`, restartPolicy, ["Always"])];
}

/** Jobs end: their templates do not restart always. */
export function neverRestartsAlways(field: string, { spec }: PodTemplate): FieldError[] {
  return spec.restartPolicy === "OnFailure" || spec.restartPolicy === "Never"
    ? []
    : [required(`${field}.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}
