/** The fields that transformers change: kustomize's own list, and the additions of the files in `configurations`. */
import { readYaml } from "../project/yaml/yaml-documents.ts";
import { type FieldSpec, mergeFieldSpecs } from "./field-specs.ts";
import { flag, listOrNone, mapping, required, text } from "./fields.ts";
import { compareKinds } from "./order.ts";
import type { KindSelector } from "./resource.ts";
import type { SourceFiles } from "./source-files.ts";

/** A kind, and the fields that name objects of it. */
export interface NameReferences extends KindSelector {
  readonly referrers: readonly FieldSpec[];
}

/** The fields, by what is done to them. */
export interface TransformerConfiguration extends Record<SimplePart, readonly FieldSpec[]> {
  readonly nameReference: readonly NameReferences[];
}

const SIMPLE_PARTS = [
  "namePrefix",
  "nameSuffix",
  "namespace",
  "commonLabels",
  "labels",
  "templateLabels",
  "commonAnnotations",
  "varReference",
  "images",
  "replicas",
] as const;
type SimplePart = (typeof SIMPLE_PARTS)[number];

/** An empty configuration, with which the files of a kustomization begin. */
export const EMPTY_CONFIGURATION: TransformerConfiguration = {
  ...inEachPart<readonly FieldSpec[]>([]),
  nameReference: [],
};

function inEachPart<T>(value: T): Record<SimplePart, T> {
  return Object.fromEntries(SIMPLE_PARTS.map((part) => [part, value])) as Record<SimplePart, T>;
}

/**
 * Merges two configurations, ordered by kind: a field of some kinds that comes first hides the same
 * field of all kinds when the result is merged again, as it does in kustomize.
 *
 * @throws TsopError `kustomize-configuration`
 */
export function mergeConfigurations(
  one: TransformerConfiguration,
  other: TransformerConfiguration,
): TransformerConfiguration {
  const merged = { ...one };
  for (const part of SIMPLE_PARTS) {
    merged[part] = [...mergeFieldSpecs(one[part], other[part])].sort(compareKinds);
  }
  const references = [...one.nameReference];
  for (const further of other.nameReference) {
    const index = references.findIndex((known) => isSameKind(known, further));
    const known = references[index];
    if (!known) references.push(further);
    else {
      const referrers = mergeFieldSpecs(known.referrers, further.referrers);
      references[index] = { ...known, referrers };
    }
  }
  return { ...merged, nameReference: references.sort(compareKinds) };
}

function isSameKind(one: KindSelector, other: KindSelector): boolean {
  return (
    (one.group ?? "") === (other.group ?? "") &&
    (one.version ?? "") === (other.version ?? "") &&
    (one.kind ?? "") === (other.kind ?? "")
  );
}

/** Reads a field of a configuration. */
export const fieldSpec = mapping({
  group: text,
  version: text,
  kind: text,
  path: required(text),
  create: flag,
});

const configuration = mapping({
  ...inEachPart(listOrNone(fieldSpec)),
  nameReference: listOrNone(
    mapping({ group: text, version: text, kind: text, fieldSpecs: listOrNone(fieldSpec) }),
  ),
});

/** A file that `configurations` names. @throws TsopError `broken-yaml`, `broken-kustomization` or `kustomize-field` */
export async function readConfiguration(
  path: string,
  files: SourceFiles,
): Promise<TransformerConfiguration> {
  const [document] = readYaml(await files.read(path), path);
  if (!document || document.value === null) return EMPTY_CONFIGURATION;
  const read = configuration.read({ value: document.value, path: [], document });
  return {
    ...read,
    nameReference: read.nameReference.map(({ fieldSpecs, ...kind }) => ({
      ...kind,
      referrers: fieldSpecs,
    })),
  };
}
