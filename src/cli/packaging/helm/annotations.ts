/** Labels and annotations of which values are a part, without a key that is there twice. */
import type { JsonObject } from "../../../kube/object.ts";
import { Fields, goString, Optional, Spliced, type TemplateNode, valueAt } from "./nodes.ts";
import type { ReleaseScope } from "./release-scope.ts";

/** Labels that stay as they are, and those of a value. The schema refuses the former there; without it they win. */
export function labelsWith(fixed: Fields, path: string): Fields {
  const others = `(omit (${path} | default dict) ${fixed.keys.map(goString).join(" ")})`;
  return new Fields([...fixed.entries, new Spliced(others)]);
}

/** Annotations, and those of a value, which replace them. */
export function annotationsWith(
  annotations: JsonObject,
  path: string,
  scope: ReleaseScope,
): TemplateNode {
  const own = Object.entries(annotations).map(([key, value]): readonly [string, TemplateNode] => {
    const isReplaced = `hasKey (${path} | default dict) ${goString(key)}`;
    return [key, new Optional(`not (${isReplaced})`, scope.value(value))];
  });
  if (own.length > 0) return new Fields([...own, new Spliced(path)]);
  return new Optional(path, new Spliced(path));
}

/** The annotations of a CRD. */
export function crdAnnotations(annotations: JsonObject, scope: ReleaseScope): TemplateNode {
  const path = valueAt("crds", "keep");
  const keep: readonly [string, TemplateNode] = [
    "helm.sh/resource-policy",
    new Optional(path, "keep"),
  ];
  const own = Object.entries(annotations).map(([key, value]) => [key, scope.value(value)] as const);
  return own.length > 0
    ? new Fields([...own, keep])
    : new Optional(path, { "helm.sh/resource-policy": "keep" });
}
