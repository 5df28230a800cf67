/**
 * Validation of writes to the smaller subresources of a pod: `resize` and `ephemeralcontainers`.
 */
import type { Check } from "../../../../../kube/check.ts";
import { quote } from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import { MIRROR } from "../../../shared/workloads/pod-spec.ts";
import { qosClassOf } from "../../../shared/pods/resources.ts";
import type { Container, PodSpec } from "../../../shared/pods/pod-shapes.ts";
import type { ResourceList, ResourceRequirements } from "../../../shared/shapes.ts";
import { formDifference } from "../../../go/internal.ts";
import type { Pod } from "./shape.ts";
import { checkPod } from "./pod-validation.ts";

const LISTS = ["containers", "initContainers"] as const;

/** Reports that the subresource is not for this pod. */
function refuse(pod: Check<Pod>, detail: string): void {
  pod.child("[]", undefined).forbidden(detail);
}

export function checkResize(pod: Check<Pod>, old: Pod): void {
  const spec = pod.at("spec");
  const { spec: before } = old;
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    refuse(pod, "static pods cannot be resized");
    return;
  }
  if (before.os?.name === "windows") {
    refuse(pod, "windows pods cannot be resized");
    return;
  }
  checkPod(pod);
  const quality = old.status?.qosClass ?? qosClassOf(before);
  if (quality !== qosClassOf(spec.value)) {
    spec.invalid("Pod QOS Class may not change as a result of resizing", quality);
  }
  const isOrdered = spec.passes(() => {
    for (const list of LISTS) checkOrder(list, spec, before[list] ?? []);
  });
  if (!isOrdered) return;
  for (const list of LISTS.toReversed()) {
    spec.at(list).each((container, index) => {
      checkKept(container, before[list]?.[index]?.resources);
    });
  }
  spec.at("containers").each((container, index) => {
    if (isSame(container.value, before.containers?.[index])) return;
    spec.forbidden("only cpu and memory resources are mutable");
  });
  spec.at("initContainers").each((container, index) => {
    const { value: now } = container;
    const was = before.initContainers?.[index];
    if (sameJson(now, was)) return;
    if (now.restartPolicy !== "Always") {
      spec.forbidden("resources for non-sidecar init containers are immutable");
    } else if (!isSame(now, was)) {
      container.forbidden(
        "only cpu and memory resources for init or sidecar containers are mutable",
      );
    }
  });
}

function checkOrder(
  list: (typeof LISTS)[number],
  spec: Check<PodSpec>,
  old: readonly Container[],
): void {
  const containers = spec.at(list);
  if ((containers.value ?? []).length !== old.length) {
    containers.forbidden(`${list} may not be added or removed on resize`);
    return;
  }
  containers.each((container, index) => {
    if (container.value.name === old[index]?.name) return;
    container.at("name").forbidden(`${list} may not be renamed or reordered on resize`);
  });
}

/** Validates that requests and limits are kept, with other amounts. */
function checkKept(container: Check<Container>, old: ResourceRequirements = {}): void {
  for (const part of ["requests", "limits"] as const) {
    const amounts = container.at("resources", part);
    const isKept = Object.keys(old[part] ?? {}).every((name) => name in (amounts.value ?? {}));
    if (!isKept) amounts.forbidden(`resource ${part} cannot be removed`);
  }
}

/** Whether two containers differ at most in CPU and memory. */
function isSame(now: Container, old: Container | undefined): boolean {
  const rest = (amounts: ResourceList | undefined): ResourceList =>
    Object.fromEntries(
      Object.entries(amounts ?? {}).filter(([name]) => name !== "cpu" && name !== "memory"),
    );
  const bare = (container: Container | undefined): unknown => ({
    ...container,
    resources: {
      claims: container?.resources?.claims,
      limits: rest(container?.resources?.limits),
      requests: rest(container?.resources?.requests),
    },
  });
  return sameJson(bare(now), bare(old));
}

export function checkEphemeral(pod: Check<Pod>, old: Pod): void {
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    refuse(pod, "static pods do not support ephemeral containers");
    return;
  }
  checkPod(pod);
  const containers = pod.at("spec", "ephemeralContainers");
  const now = new Map((containers.value ?? []).map((one) => [one.name, one]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const next = now.get(before.name);
    const which = `existing ephemeral containers ${quote(before.name)}`;
    const difference = next ? formDifference("core.EphemeralContainer", before, next) : "";
    if (!next) containers.forbidden(`${which} may not be removed\n`);
    else if (difference !== "") {
      containers.forbidden(`${which} may not be changed\n${difference}`);
    }
  }
}
