/** Validation of updates of pods: of the spec, and through the status subresource. */
import type { Check } from "../../../../../kube/check.ts";
import { sameJson } from "../../../../../kube/json.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../../../kube/names.ts";
import { addressErrors, isOneOfEach } from "../../../shared/addresses/addresses.ts";
import { checkImage } from "../../../shared/pods/containers.ts";
import { APP_ARMOR, MIRROR, checkPodAnnotations } from "../../../shared/workloads/pod-spec.ts";
import { REQUIRED } from "../../../shared/pods/scheduling.ts";
import type { Affinity, PodSpec, Toleration } from "../../../shared/pods/pod-shapes.ts";
import { formDifference } from "../../../go/internal.ts";
import type { ContainerStatus, Pod, PodStatus } from "./shape.ts";

const UPDATES =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

const MOST_SECONDS = 2 ** 31 - 1;

/**
 * Validates an update of a pod: images, added tolerations and a few limits, in one direction, may
 * change.
 */
export function checkPodUpdate(pod: Check<Pod>, previous: Pod): void {
  const spec = pod.at("spec");
  const deadline = spec.at("activeDeadlineSeconds");
  const { spec: old } = previous;
  checkAnnotations(pod, previous);
  for (const list of ["containers", "initContainers"] as const) {
    const containers = spec.at(list);
    if ((containers.value ?? []).length !== (old[list] ?? []).length) {
      containers.forbidden("pod updates may not add or remove containers");
      return;
    }
    containers.each((container) => {
      checkImage(container);
      container.at("image").given();
    });
  }
  const isTimely = deadline.passes(() => checkDeadline(deadline, old.activeDeadlineSeconds));
  if (!isTimely && deadline.value !== undefined) return;
  checkAddedTolerations(spec.at("tolerations"), old.tolerations);
  const gates = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  spec.at("schedulingGates").each((gate) => {
    const { name } = gate.value;
    if (gates.has(name)) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    gate.at("name").forbidden(detail);
  });
  if (gates.size > 0) checkNarrowing(spec, old);
  const difference = formDifference("core.PodSpec", old, muted(spec.value, old));
  if (difference !== "") spec.forbidden(`${UPDATES}\n${difference}`);
}

/** Validates that annotations which are fixed at creation are unchanged. */
function checkAnnotations(pod: Check<Pod>, old: Pod): void {
  const annotations = pod.at("metadata", "annotations");
  const { annotations: before = {} } = old.metadata;
  for (const key of new Set([...Object.keys(before), ...Object.keys(annotations.value ?? {})])) {
    const annotation = annotations.entry(key);
    if (annotation.value === before[key]) continue;
    const verb = key in before ? "remove or update" : "add";
    if (key.startsWith(APP_ARMOR)) annotation.forbidden(`may not ${verb} AppArmor annotations`);
    if (key === MIRROR) annotation.forbidden(`may not ${verb} mirror pod annotation`);
  }
  checkPodAnnotations(annotations, pod.value.spec);
}

function checkDeadline(deadline: Check<number | undefined>, old: number | undefined): void {
  const { value: now } = deadline;
  if (now !== undefined && (now < 0 || now > MOST_SECONDS)) {
    deadline.invalid(`must be between 0 and ${MOST_SECONDS}, inclusive`);
  } else if (old === undefined) return;
  else if (now === undefined) {
    deadline.invalid("must not update from a positive integer to nil value", null);
  } else if (now > old) deadline.invalid("must be less than or equal to previous value");
}

function checkAddedTolerations(
  tolerations: Check<Toleration[] | undefined>,
  old: readonly Toleration[] = [],
): void {
  const bare = ({ key, operator, value, effect }: Toleration): unknown => [
    key,
    operator,
    value,
    effect,
  ];
  const isKept = old.every((before) =>
    (tolerations.value ?? []).some((now) => sameJson(bare(now), bare(before))),
  );
  if (isKept) return;
  tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds");
}

/**
 * Validates that the node selector and affinity of a gated pod are only narrowed, never widened.
 */
function checkNarrowing(spec: Check<PodSpec>, old: PodSpec): void {
  const selector = spec.at("nodeSelector");
  const isWidened = Object.entries(old.nodeSelector ?? {}).some(
    ([key, value]) => selector.value?.[key] !== value,
  );
  if (isWidened) {
    selector.invalid(
      "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      selector.value ?? null,
    );
  }
  const terms = spec.at("affinity", "nodeAffinity").at(REQUIRED, "nodeSelectorTerms");
  const before = old.affinity?.nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? [];
  const now = terms.value ?? [];
  if (before.length > 0 && before.length !== now.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    terms.invalid(detail, now);
    return;
  }
  terms.each((term, index) => {
    const isExtended = (["matchExpressions", "matchFields"] as const).every((part) => {
      const kept = before[index]?.[part] ?? [];
      return sameJson((term.value[part] ?? []).slice(0, kept.length), kept);
    });
    if (!isExtended) term.invalid("only additions are allowed (no mutations or deletions)");
  });
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

export function checkPodStatus(pod: Check<Pod>, previous: Pod): void {
  const { spec } = pod.value;
  const { spec: oldSpec, status: old = {} } = previous;
  const status: Check<PodStatus> = pod.child("status", pod.value.status ?? {});
  checkAnnotations(pod, previous);
  status.at("conditions").each((condition) => {
    const { type, observedGeneration = 0 } = condition.value;
    if (observedGeneration < 0) {
      condition.at("observedGeneration").invalid("must be a non-negative integer");
    }
    if (!SYSTEM_CONDITIONS.includes(type)) {
      condition.child("Type", type).named(qualifiedNameErrors);
    }
  });
  const node = status.at("nominatedNodeName");
  if (node.value && node.value !== old.nominatedNodeName) {
    node.named(dns1123SubdomainErrors);
    if (oldSpec.nodeName) {
      node.forbidden("may not be set on pods that are already bound to a node");
    }
  }
  status.child("qosClass", status.value.qosClass ?? "").unchanged(old.qosClass ?? "");
  checkContainerRestarts("containerStatuses", status, old, spec);
  checkContainerRestarts("initContainerStatuses", status, old, spec);
  checkAddresses(status.at("podIPs"), old.podIPs);
  const { hostIP = "", hostIPs } = status.value;
  const first = hostIPs?.[0];
  if (first && first.ip !== hostIP) {
    status.child("hostIPs[0].ip", first.ip).invalid("must be equal to `hostIP`");
  }
  checkAddresses(status.at("hostIPs"), old.hostIPs);
}

/** Validates that a container that ended and must not restart is not running again. */
function checkContainerRestarts(
  list: "containerStatuses" | "initContainerStatuses",
  status: Check<PodStatus>,
  old: PodStatus,
  spec: PodSpec,
): void {
  status.child(list, old[list]).each((before) => {
    const { name, state } = before.value;
    const now = status.value[list]?.find((container) => container.name === name);
    if (!state?.terminated || !now || now.state?.terminated) return;
    const isInit = list === "initContainerStatuses";
    if (mayRestart(before.value, state.terminated.exitCode, spec, isInit)) return;
    before.at("state").forbidden("may not be transitioned to non-terminated state");
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

function checkAddresses(
  list: Check<{ ip: string }[] | undefined>,
  old: readonly { ip: string }[] = [],
): void {
  const known = new Set(old.map(({ ip }) => ip));
  const ips = (list.value ?? []).map(({ ip }) => ip);
  list.as(ips).each((ip) => {
    if (!known.has(ip.value)) ip.named(addressErrors);
  });
  if (ips.length > 1 && !isOneOfEach(ips)) {
    const shown = ips.map((ip) => ({ IP: ip }));
    list.invalid("may specify no more than one IP for each IP family", shown);
  }
}
