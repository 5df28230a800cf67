/**
 * Which manifests a patch or replacement means.
 *
 * @module
 */
import { compilePattern } from "../../kube/schema/cel/patterns.ts";
import { CelError } from "../../kube/schema/cel/values.ts";
import { matchesLabels, parseLabelSelector, SelectorError } from "../../kube/selector.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { Manifest } from "./resource.ts";

/** Chooses manifests; texts are regular expressions that match the whole value. */
export interface Selector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly annotationSelector?: string;
}

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

/** What is wrong with a regular expression of a selector; `undefined` when it is as Go takes it. */
export function patternProblem(pattern: string): string | undefined {
  const compiled = wholePattern(pattern);
  return compiled instanceof CelError
    ? `is not a regular expression of Go: ${compiled.message}`
    : undefined;
}

/** What is wrong with a selector of labels; `undefined` when it is right. */
export function labelSelectorProblem(selector: string): string | undefined {
  try {
    parseLabelSelector(selector);
    return undefined;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return `is not a label selector: ${error.message}`;
  }
}

function wholePattern(pattern: string): ReturnType<typeof compilePattern> {
  return compilePattern(`^(?:${pattern})$`);
}

function matches(pattern: string | undefined, ...values: (string | undefined)[]): boolean {
  if (pattern === undefined || pattern === "") return true;
  const whole = wholePattern(pattern);
  return !(whole instanceof CelError) && values.some((value) => whole.matcher(value ?? "").find());
}

function hasPairs(selector: string | undefined, values: Readonly<Record<string, string>>): boolean {
  return matchesLabels(parseLabelSelector(selector ?? ""), values);
}
