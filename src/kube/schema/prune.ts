/**
 * Removes fields that the schema of a kind does not know, and reports their paths.
 *
 * Walks the data with a stack of its own, so that nesting costs memory, not the process. Frozen
 * parts were processed before, and are skipped.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 */
import { isJsonObject } from "../json.ts";
import { describesFields, propertyOf, valuesOf, type Schema } from "./structural.ts";

/**
 * A visited value, with its path by way of the visits above it: the path is written out only for
 * unknown fields.
 */
interface Visit {
  readonly value: unknown;
  readonly schema: Schema | undefined;
  /** Absent for the value at the root. */
  readonly parent: Visit | undefined;
  readonly step: string | number;
  /**
   * Whether the value is inside the items of a list that preserves unknown fields, and not yet at a
   * known field.
   */
  readonly preserving: boolean;
}

const isTypeMeta = (name: string): boolean =>
  name === "apiVersion" || name === "kind" || name === "metadata";

function pathOf(visit: Visit, last: string): string {
  const steps: (string | number)[] = [last];
  for (let at = visit; at.parent; at = at.parent) steps.push(at.step);
  let path = "";
  for (const step of steps.reverse()) {
    if (typeof step === "number") path += `[${step}]`;
    else path += path === "" ? step : `.${step}`;
  }
  return path;
}

/**
 * Removes the fields that `schema` does not describe, in place.
 *
 * @param options.root - whether the value is a whole object, whose apiVersion, kind and metadata
 *   always stay
 * @returns the paths of the removed fields, sorted: `spec.a`, `spec.list[0].b`
 */
export function prune(
  value: unknown,
  schema: Schema,
  options: { readonly root?: boolean } = {},
): string[] {
  const removed: string[] = [];
  const open: Visit[] = [{ value, schema, parent: undefined, step: "", preserving: false }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { value: data, schema: node, parent } = visit;
    const preserving = visit.preserving || node?.["x-kubernetes-preserve-unknown-fields"] === true;
    if (Array.isArray(data)) {
      if (preserving && !node?.items) continue;
      for (let index = 0; index < data.length; index++) {
        const item: unknown = data[index];
        if (typeof item !== "object" || Object.isFrozen(item)) continue;
        open.push({ value: item, schema: node?.items, parent: visit, step: index, preserving });
      }
    } else if (isJsonObject(data)) {
      const isObject =
        node?.["x-kubernetes-embedded-resource"] === true || (options.root === true && !parent);
      if (preserving && !isObject && !(node && describesFields(node))) continue;
      for (const name of Object.keys(data)) {
        if (isObject && isTypeMeta(name)) continue;
        const property = node && propertyOf(node, name);
        if (property ?? node?.additionalProperties != null) {
          const child = data[name];
          if (typeof child !== "object" || Object.isFrozen(child)) continue;
          const known = property ?? (node && valuesOf(node));
          open.push({ value: child, schema: known, parent: visit, step: name, preserving: false });
        } else if (!preserving) {
          if (!isTypeMeta(name) || parent) removed.push(pathOf(visit, name));
          delete data[name];
        }
      }
    }
  }
  return removed.length > 1 ? removed.sort() : removed;
}
