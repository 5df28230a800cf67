/**
 * Removes what the schema of a kind does not know, and says where it was.
 *
 * Walks the data with a stack of its own, so that nesting costs memory, not the process. Frozen parts went through
 * this before: they are taken as done.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 * @module
 */
import { isJsonObject } from "../json.ts";
import { describesFields, propertyOf, valuesOf, type Schema } from "./structural.ts";

/** Where a value is; written out only for what is unknown. */
interface Place {
  readonly parent: Place | undefined;
  readonly step: string | number;
}

interface Visit {
  readonly value: unknown;
  readonly schema: Schema | undefined;
  readonly place: Place | undefined;
  /** Inside the items of a list that preserves what is unknown, and not yet at a known field. */
  readonly preserving: boolean;
}

const isTypeMeta = (name: string): boolean =>
  name === "apiVersion" || name === "kind" || name === "metadata";

function pathOf(place: Place | undefined, last: string): string {
  const steps: (string | number)[] = [last];
  for (let at = place; at; at = at.parent) steps.push(at.step);
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
 * @param options.root - the value is a whole object: its apiVersion, kind and metadata always stay
 * @returns the paths of what was removed, sorted: `spec.a`, `spec.list[0].b`
 */
export function prune(
  value: unknown,
  schema: Schema,
  options: { readonly root?: boolean } = {},
): string[] {
  const removed: string[] = [];
  const open: Visit[] = [{ value, schema, place: undefined, preserving: false }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { value: data, schema: node, place } = visit;
    const preserving = visit.preserving || node?.["x-kubernetes-preserve-unknown-fields"] === true;
    if (Array.isArray(data)) {
      if (preserving && !node?.items) continue;
      for (const [index, item] of data.entries()) {
        if (typeof item !== "object" || Object.isFrozen(item)) continue;
        open.push({
          value: item,
          schema: node?.items,
          place: { parent: place, step: index },
          preserving,
        });
      }
    } else if (isJsonObject(data)) {
      const isObject =
        node?.["x-kubernetes-embedded-resource"] === true || (options.root === true && !place);
      if (preserving && !isObject && !(node && describesFields(node))) continue;
      for (const name of Object.keys(data)) {
        if (isObject && isTypeMeta(name)) continue;
        const property = node && propertyOf(node, name);
        if (property ?? node?.additionalProperties != null) {
          const child = data[name];
          if (typeof child !== "object" || Object.isFrozen(child)) continue;
          const known = property ?? (node && valuesOf(node));
          open.push({
            value: child,
            schema: known,
            place: { parent: place, step: name },
            preserving: false,
          });
        } else if (!preserving) {
          if (!isTypeMeta(name) || place) removed.push(pathOf(place, name));
          delete data[name];
        }
      }
    }
  }
  return removed.sort();
}
