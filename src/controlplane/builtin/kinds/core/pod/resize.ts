/**
 * Validation of writes to the smaller subresources of a pod: `resize` and `ephemeralcontainers`.
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  quote,
} from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import type { Container } from "../../../shared/pods/shapes.ts";
import type { ResourceList } from "../../../shared/shapes.ts";
import { formDifference } from "../../../strategies/go-internal.ts";
import { qosClassOf } from "./resources.ts";
import type { Pod } from "./shape.ts";
import { podErrors } from "./validation.ts";

const MIRROR = "kubernetes.io/config.mirror";
const LISTS = ["containers", "initContainers"] as const;
const IMMUTABLE = "only cpu and memory resources are mutable";

/** Validates a write to a subresource of a pod. */
export function podSubresourceErrors(object: Pod, old: Pod, subresource: string): FieldError[] {
  if (subresource === "resize") return resizeErrors(object, old);
  return subresource === "ephemeralcontainers" ? ephemeralErrors(object, old) : [];
}

function resizeErrors(pod: Pod, old: Pod): FieldError[] {
  const { spec } = pod;
  const { spec: before } = old;
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    return [forbidden("[]", "static pods cannot be resized")];
  }
  if (before.os?.name === "windows") {
    return [forbidden("[]", "windows pods cannot be resized")];
  }
  const errors = podErrors(pod);
  const quality = old.status?.qosClass ?? qosClassOf(before);
  if (quality !== qosClassOf(spec)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    errors.push(invalidValue("spec", quality, detail));
  }
  const order = LISTS.flatMap((list) => orderErrors(list, spec[list], before[list]));
  if (order.length > 0) return [...errors, ...order];
  for (const list of ["initContainers", "containers"] as const) {
    for (const [index, { resources = {} }] of (before[list] ?? []).entries()) {
      const now = spec[list]?.[index]?.resources ?? {};
      for (const part of ["requests", "limits"] as const) {
        if (Object.keys(resources[part] ?? {}).every((name) => name in (now[part] ?? {}))) continue;
        const detail = `resource ${part} cannot be removed`;
        errors.push(forbidden(`spec.${list}[${index}].resources.${part}`, detail));
      }
    }
  }
  for (const [index, container] of (spec.containers ?? []).entries()) {
    if (!isSame(container, before.containers?.[index])) errors.push(forbidden("spec", IMMUTABLE));
  }
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    errors.push(
      ...initErrors(`spec.initContainers[${index}]`, container, before.initContainers?.[index]),
    );
  }
  return errors;
}

function initErrors(at: string, now: Container, old: Container | undefined): FieldError[] {
  if (sameJson(now, old)) return [];
  if (now.restartPolicy !== "Always") {
    return [forbidden("spec", "resources for non-sidecar init containers are immutable")];
  }
  const detail = "only cpu and memory resources for init or sidecar containers are mutable";
  return isSame(now, old) ? [] : [forbidden(at, detail)];
}

function orderErrors(
  list: (typeof LISTS)[number],
  now: readonly Container[] | null | undefined,
  old: readonly Container[] | null | undefined,
): FieldError[] {
  if ((now ?? []).length !== (old ?? []).length) {
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return (old ?? []).flatMap(({ name }, index) =>
    now?.[index]?.name === name
      ? []
      : [
          forbidden(
            `spec.${list}[${index}].name`,
            `${list} may not be renamed or reordered on resize`,
          ),
        ],
  );
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

function ephemeralErrors(pod: Pod, old: Pod): FieldError[] {
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    return [forbidden("[]", "static pods do not support ephemeral containers")];
  }
  const field = "spec.ephemeralContainers";
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((one) => [one.name, one]));
  return [
    ...podErrors(pod),
    ...(old.spec.ephemeralContainers ?? []).flatMap((before) => {
      const next = now.get(before.name);
      const which = `existing ephemeral containers ${quote(before.name)}`;
      if (!next) return [forbidden(field, `${which} may not be removed\n`)];
      const difference = formDifference("core.EphemeralContainer", before, next);
      return difference === ""
        ? []
        : [forbidden(field, `${which} may not be changed\n${difference}`)];
    }),
  ];
}
