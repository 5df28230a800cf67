/** The selection of the manifests that a patch or replacement is for. */
import { compilePattern } from "../../kube/cel/patterns.ts";
import { CelError } from "../../kube/cel/values.ts";
import { matchesLabels, parseLabelSelector, SelectorError } from "../../kube/selectors/selector.ts";
import { effectiveNamespace, type Manifest, type ResourceId, textsOf } from "./resource.ts";

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
  const { id, originalId } = manifest;
  return (
    matches(selector.name, id.name, originalId.name) &&
    matches(selector.namespace, effectiveNamespace(id), effectiveNamespace(originalId)) &&
    matchesKind(selector, id) &&
    hasSelectedPairs(manifest, selector)
  );
}

/** Whether the selector means the id: the regular expressions alone. */
export function selectsId(selector: Selector, id: ResourceId): boolean {
  return (
    matchesKind(selector, id) &&
    matches(selector.name, id.name) &&
    matches(selector.namespace, id.namespace)
  );
}

/** Whether the manifest has the selected labels and annotations. */
export function hasSelectedPairs(
  { object: { metadata } }: Manifest,
  { labelSelector, annotationSelector }: Selector,
): boolean {
  return (
    hasPairs(labelSelector, textsOf(metadata.labels)) &&
    hasPairs(annotationSelector, textsOf(metadata.annotations))
  );
}

/** The problem of a regular expression in a selector; `undefined` when it is as Go takes it. */
export function patternProblem(pattern: string): string | undefined {
  const compiled = wholePattern(pattern);
  return compiled instanceof CelError
    ? `is not a regular expression of Go: ${compiled.message}`
    : undefined;
}

/** The problem of a selector of labels; `undefined` when it is right. */
export function labelSelectorProblem(selector: string): string | undefined {
  try {
    parseLabelSelector(selector);
    return undefined;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return `is not a label selector: ${error.message}`;
  }
}

function matchesKind(selector: Selector, { group, version, kind }: ResourceId): boolean {
  return (
    matches(selector.group, group) &&
    matches(selector.version, version) &&
    matches(selector.kind, kind)
  );
}

function wholePattern(pattern: string): ReturnType<typeof compilePattern> {
  return compilePattern(`^(?:${pattern})$`);
}

function matches(pattern: string | undefined, ...values: string[]): boolean {
  if (pattern === undefined || pattern === "") return true;
  const whole = wholePattern(pattern);
  return !(whole instanceof CelError) && values.some((value) => whole.matcher(value).find());
}

function hasPairs(selector: string | undefined, values: Readonly<Record<string, string>>): boolean {
  return matchesLabels(parseLabelSelector(selector ?? ""), values);
}
