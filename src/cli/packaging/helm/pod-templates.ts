/** The pod templates of workloads: those of any kind that has one. */
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";

export interface PodTemplate extends JsonObject {
  readonly metadata?: JsonObject & { readonly labels?: JsonObject };
  readonly spec: JsonObject;
}

/** The field that holds a pod template. */
const TEMPLATE = "template";

export function isPodTemplate(field: string, value: unknown): value is PodTemplate {
  return (
    field === TEMPLATE &&
    isJsonObject(value) &&
    isJsonObject(value["spec"]) &&
    Array.isArray(value["spec"]["containers"])
  );
}

/** The value with its pod templates changed. */
export function mapPodTemplates(
  value: unknown,
  change: (template: PodTemplate) => JsonObject,
): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      isPodTemplate(field, inner) ? change(inner) : mapPodTemplates(inner, change),
    ]),
  );
}

/** The labels of the pods that the value's templates make. */
export function podLabels(value: unknown): JsonObject[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    isPodTemplate(field, inner) ? [inner.metadata?.labels ?? {}] : podLabels(inner),
  );
}
