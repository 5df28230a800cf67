/** Validation of updates of pods: of the spec, and through the status subresource. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
} from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../../../kube/names.ts";
import { addressErrors, isOneOfEach } from "../../../shared/addresses/addresses.ts";
import { immutable } from "../../../shared/checks.ts";
import { imageErrors } from "../../../shared/pods/containers.ts";
import { podAnnotationErrors } from "../../../shared/pods/pod-spec.ts";
import type { Affinity, PodSpec, Toleration } from "../../../shared/pods/shapes.ts";
import { formDifference } from "../../../strategies/go-internal.ts";
import type { ContainerStatus, Pod, PodStatus } from "./shape.ts";

const UPDATES =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

const MOST_SECONDS = 2 ** 31 - 1;
const MIRROR = "kubernetes.io/config.mirror";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

/**
 * Validates an update of a pod: images, added tolerations and a few limits, in one direction, may
 * change.
 */
export function podUpdateErrors(object: Pod, previous: Pod): FieldError[] {
  const { spec } = object;
  const { spec: old } = previous;
  const errors = annotationErrors(object, previous);
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list] ?? []).length !== (old[list] ?? []).length) {
      const detail = "pod updates may not add or remove containers";
      return [...errors, forbidden(`spec.${list}`, detail)];
    }
    for (const [index, container] of (spec[list] ?? []).entries()) {
      errors.push(...imageErrors(`spec.${list}[${index}]`, container));
      if (container.image) continue;
      errors.push({
        reason: "FieldValueRequired",
        field: `spec.${list}[${index}].image`,
        message: "Required value",
      });
    }
  }
  const late = deadlineErrors(spec, old);
  errors.push(...late);
  if (late.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  errors.push(...addedTolerationErrors(spec, old), ...gateErrors(spec, old));
  if ((old.schedulingGates ?? []).length > 0) errors.push(...narrowingErrors(spec, old));
  const difference = formDifference("core.PodSpec", old, muted(spec, old));
  return difference === "" ? errors : [...errors, forbidden("spec", `${UPDATES}\n${difference}`)];
}

/** Validates that annotations which are fixed at creation are unchanged. */
function annotationErrors(pod: Pod, old: Pod): FieldError[] {
  const { annotations: now = {} } = pod.metadata;
  const { annotations: before = {} } = old.metadata;
  const errors: FieldError[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (now[key] === before[key]) continue;
    const field = `metadata.annotations[${key}]`;
    const verb = key in before ? "remove or update" : "add";
    if (key.startsWith(APP_ARMOR)) {
      errors.push(forbidden(field, `may not ${verb} AppArmor annotations`));
    }
    if (key === MIRROR) {
      errors.push(forbidden(field, `may not ${verb} mirror pod annotation`));
    }
  }
  return [...errors, ...podAnnotationErrors("metadata.annotations", pod.metadata, pod.spec)];
}

function deadlineErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const field = "spec.activeDeadlineSeconds";
  const { activeDeadlineSeconds: now } = spec;
  const { activeDeadlineSeconds: before } = old;
  if (now !== undefined && (now < 0 || now > MOST_SECONDS)) {
    return [invalidValue(field, now, `must be between 0 and ${MOST_SECONDS}, inclusive`)];
  }
  if (before === undefined || now === before) return [];
  if (now === undefined) {
    return [invalidValue(field, null, "must not update from a positive integer to nil value")];
  }
  return now > before
    ? [invalidValue(field, now, "must be less than or equal to previous value")]
    : [];
}

function addedTolerationErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const bare = ({ key, operator, value, effect }: Toleration): unknown => [
    key,
    operator,
    value,
    effect,
  ];
  const kept = (old.tolerations ?? []).every((before) =>
    (spec.tolerations ?? []).some((now) => sameJson(bare(now), bare(before))),
  );
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return kept ? [] : [forbidden("spec.tolerations", detail)];
}

function gateErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

const termsOf = (
  affinity: Affinity["nodeAffinity"],
): NonNullable<
  NonNullable<
    NonNullable<Affinity["nodeAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
  >["nodeSelectorTerms"]
> => affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];

/**
 * Validates that the node selector and affinity of a gated pod are only narrowed, never widened.
 */
function narrowingErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const widened = Object.entries(old.nodeSelector ?? {}).some(
    ([key, value]) => spec.nodeSelector?.[key] !== value,
  );
  if (widened) {
    errors.push(
      invalidValue(
        "spec.nodeSelector",
        spec.nodeSelector ?? null,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      ),
    );
  }
  const before = termsOf(old.affinity?.nodeAffinity);
  const now = termsOf(spec.affinity?.nodeAffinity);
  const field =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (before.length > 0 && before.length !== now.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [...errors, invalidValue(field, now, detail)];
  }
  for (const [index, term] of before.entries()) {
    const next = now[index] ?? {};
    const extends_ = (["matchExpressions", "matchFields"] as const).every((part) =>
      sameJson((next[part] ?? []).slice(0, term[part]?.length ?? 0), term[part] ?? []),
    );
    if (!extends_) {
      const detail = "only additions are allowed (no mutations or deletions)";
      errors.push(invalidValue(`${field}[${index}]`, next, detail));
    }
  }
  return errors;
}

/** The new spec with every mutable field set to its old value. */
function muted(spec: PodSpec, old: PodSpec): PodSpec {
  const images = <Item extends { image?: string }>(
    list: readonly Item[] | null | undefined,
    before: readonly Item[] | null | undefined,
  ): Item[] | undefined =>
    list?.map((item, index) => ({ ...item, image: before?.[index]?.image ?? "" }));
  const gated = (old.schedulingGates ?? []).length > 0;
  const graceless =
    (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  const result: Record<string, unknown> = {
    ...spec,
    containers: images(spec.containers, old.containers),
    initContainers: images(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    ...(graceless ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } : {}),
    ...(gated ? { nodeSelector: old.nodeSelector, affinity: mutedAffinity(spec, old) } : {}),
  };
  return result as PodSpec & Record<string, unknown>;
}

/** The new affinity with its old node affinity. */
function mutedAffinity(spec: PodSpec, old: PodSpec): Affinity | undefined {
  const before = old.affinity?.nodeAffinity;
  if (!spec.affinity) return before ? { nodeAffinity: before } : undefined;
  if (sameJson(spec.affinity.nodeAffinity, before)) return spec.affinity;
  const { nodeAffinity, ...others } = spec.affinity;
  if (nodeAffinity && !old.affinity && Object.keys(others).length === 0) return undefined;
  return { ...others, ...(before ? { nodeAffinity: before } : {}) };
}

const SYSTEM_CONDITIONS = ["PodScheduled", "Ready", "Initialized"];

/** Validates a write to the status of a pod. */
export function podStatusErrors(object: Pod, previous: Pod): FieldError[] {
  const { spec, status = {} } = object;
  const { spec: oldSpec, status: old = {} } = previous;
  const errors = annotationErrors(object, previous);
  for (const [index, { type, observedGeneration = 0 }] of (status.conditions ?? []).entries()) {
    const at = `status.conditions[${index}]`;
    if (observedGeneration < 0) {
      const detail = "must be a non-negative integer";
      errors.push(invalidValue(`${at}.observedGeneration`, observedGeneration, detail));
    }
    if (SYSTEM_CONDITIONS.includes(type)) continue;
    errors.push(...nameErrorsAt(`${at}.Type`, type, qualifiedNameErrors));
  }
  const { nominatedNodeName = "" } = status;
  const changed = nominatedNodeName !== (old.nominatedNodeName ?? "") && nominatedNodeName !== "";
  const field = "status.nominatedNodeName";
  if (changed) errors.push(...nameErrorsAt(field, nominatedNodeName, dns1123SubdomainErrors));
  if (changed && oldSpec.nodeName) {
    errors.push(forbidden(field, "may not be set on pods that are already bound to a node"));
  }
  return [
    ...errors,
    ...immutable("status.qosClass", status.qosClass ?? "", old.qosClass ?? ""),
    ...restartErrors("containerStatuses", status, old, spec),
    ...restartErrors("initContainerStatuses", status, old, spec),
    ...ipErrors("podIPs", status, old),
    ...hostIpErrors(status),
    ...ipErrors("hostIPs", status, old),
  ];
}

/** Validates that a container that ended and must not restart is not running again. */
function restartErrors(
  list: "containerStatuses" | "initContainerStatuses",
  status: PodStatus,
  old: PodStatus,
  spec: PodSpec,
): FieldError[] {
  const isInit = list === "initContainerStatuses";
  return (old[list] ?? []).flatMap((before, index) => {
    const ended = before.state?.terminated;
    if (!ended) return [];
    const now = (status[list] ?? []).find(({ name }) => name === before.name);
    if (!now || now.state?.terminated) return [];
    return mayRestart(before, ended.exitCode, spec, isInit)
      ? []
      : [
          forbidden(
            `status.${list}[${index}].state`,
            "may not be transitioned to non-terminated state",
          ),
        ];
  });
}

function mayRestart(
  { name }: ContainerStatus,
  exitCode: number,
  spec: PodSpec,
  isInit: boolean,
): boolean {
  const list = isInit ? spec.initContainers : spec.containers;
  const own = list?.find((container) => container.name === name)?.restartPolicy;
  const policy = own ?? spec.restartPolicy;
  if (policy === "Always") return true;
  return exitCode !== 0 && (policy === "OnFailure" || policy === undefined);
}

function ipErrors(list: "podIPs" | "hostIPs", status: PodStatus, old: PodStatus): FieldError[] {
  const field = `status.${list}`;
  const known = new Set((old[list] ?? []).map(({ ip }) => ip));
  const ips = (status[list] ?? []).map(({ ip }) => ip);
  const errors = ips.flatMap((ip, index) =>
    known.has(ip) ? [] : nameErrorsAt(`${field}[${index}]`, ip, addressErrors),
  );
  if (ips.length > 1 && !isOneOfEach(ips)) {
    errors.push(
      invalidValue(
        field,
        ips.map((ip) => ({ IP: ip })),
        "may specify no more than one IP for each IP family",
      ),
    );
  }
  return errors;
}

function hostIpErrors({ hostIP = "", hostIPs = [] }: PodStatus): FieldError[] {
  const [first] = hostIPs;
  return first && first.ip !== hostIP
    ? [invalidValue("status.hostIPs[0].ip", first.ip, "must be equal to `hostIP`")]
    : [];
}
