/**
 * Which manifests a patch or replacement means.
 *
 * @module
 */
import { parseApiVersion } from "../../kube/resource.ts";
import type { Selector } from "./kustomization.ts";
import type { Manifest } from "./resource.ts";

/** Whether the selector means the manifest, by its name of now or by that of its file. */
export function isSelected(manifest: Manifest, selector: Selector): boolean {
  const { object, originalName, originalNamespace } = manifest;
  const { group, version } = parseApiVersion(object.apiVersion);
  const { labels = {}, annotations = {} } = object.metadata;
  return (
    matches(selector.group, group) &&
    matches(selector.version, version) &&
    matches(selector.kind, object.kind) &&
    matches(selector.name, object.metadata.name, originalName) &&
    matches(selector.namespace, object.metadata.namespace, originalNamespace) &&
    hasPairs(selector.labelSelector, labels) &&
    hasPairs(selector.annotationSelector, annotations)
  );
}

function matches(pattern: string | undefined, ...values: (string | undefined)[]): boolean {
  if (pattern === undefined || pattern === "") return true;
  const whole = new RegExp(`^(?:${pattern})$`);
  return values.some((value) => whole.test(value ?? ""));
}

/** `a=b,c!=d,e,!f`: the equality-based selectors. */
function hasPairs(text: string | undefined, values: Readonly<Record<string, string>>): boolean {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .every((part) => {
      const [, key = "", operator, value] = /^(!?[^=!]+)(!=|==|=)?(.*)$/.exec(part) ?? [];
      if (operator === "!=") return values[key] !== value;
      if (operator !== undefined) return values[key] === value;
      return key.startsWith("!") ? !(key.slice(1) in values) : key in values;
    });
}
