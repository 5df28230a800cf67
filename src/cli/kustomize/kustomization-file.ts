/**
 * `kustomization.yaml`: reading it, and refusing fields that this renderer does not know. A field
 * that was ignored in silence would deploy something else than `kubectl apply -k` does.
 */
import { join, resolve } from "node:path";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import { readYaml, type ValuePath } from "../project/yaml/yaml-documents.ts";
import {
  checked,
  type FieldReaders,
  flag,
  listOf,
  listOrNone,
  mapping,
  placed,
  required,
  text,
  textMap,
  whole,
} from "./fields.ts";
import type {
  FieldOptions,
  Generator,
  GeneratorOptions,
  ImageOverride,
  Kustomization,
  LabelSet,
  ObjectReference,
  Patch,
  Replacement,
  Variable,
} from "./kustomization.ts";
import type { SortOptions } from "./order.ts";
import { labelSelectorProblem, patternProblem, type Selector } from "./select.ts";
import type { SourceFiles } from "./source-files.ts";
import { fieldSpec } from "./transformer-configuration.ts";

const FILE_NAMES = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

const pattern = checked(text, patternProblem);
const selector = mapping<Selector>({
  group: pattern,
  version: pattern,
  kind: pattern,
  name: pattern,
  namespace: pattern,
  labelSelector: checked(text, labelSelectorProblem),
  annotationSelector: checked(text, labelSelectorProblem),
});
const options = mapping<FieldOptions>({ delimiter: text, index: whole, create: flag });
const entry = checked(text, (path) => (path === "" ? "is empty" : undefined));
const PATCH: FieldReaders<Patch> = {
  path: text,
  patch: text,
  target: selector,
  options: mapping<NonNullable<Patch["options"]>>({ allowNameChange: flag, allowKindChange: flag }),
};
const patch = checked(mapping<Patch>(PATCH), ({ path = "", patch: own = "" }) =>
  (path === "") === (own.trim() === "") ? "must have either `path` or `patch`" : undefined,
);
const jsonPatch = checked(patch, ({ target }) =>
  (target?.name ?? "") === "" ? "has no `target` with a `name`" : undefined,
);
const REFERENCE: FieldReaders<ObjectReference> = {
  apiVersion: text,
  group: text,
  version: text,
  kind: text,
  name: text,
  namespace: text,
};
const REPLACEMENT: FieldReaders<Partial<Replacement>> = {
  source: mapping<NonNullable<Replacement["source"]>>({ ...REFERENCE, fieldPath: text, options }),
  sourceValue: text,
  targets: checked(
    listOf(
      mapping<Replacement["targets"][number]>({
        select: required(selector),
        reject: listOf(selector),
        fieldPaths: listOf(text),
        options,
      }),
    ),
    (targets) => (targets.length === 0 ? "has no target" : undefined),
  ),
};
/** The problem of a replacement that is written in place. */
function replacementProblem({
  source,
  sourceValue,
  targets,
}: Partial<Replacement>): string | undefined {
  if (source === undefined && sourceValue === undefined) return "has no `source`";
  if (source !== undefined && sourceValue !== undefined) return "has `source` and `sourceValue`";
  return targets === undefined ? "has no `targets`" : undefined;
}
const replacement = placed(
  checked(
    mapping<Partial<Replacement> & { path?: string }>({ ...REPLACEMENT, path: text }),
    ({ path = "", ...own }) => {
      if (path === "") return replacementProblem(own);
      return Object.keys(own).length > 0 ? "has a `path` and other fields" : undefined;
    },
  ),
);
/** Replacements of a file: one, or a list. */
export const replacementFile = checked(
  mapping<Partial<Replacement>>(REPLACEMENT),
  replacementProblem,
);

const generatorOptions = mapping<GeneratorOptions>({
  labels: textMap,
  annotations: textMap,
  disableNameSuffixHash: flag,
  immutable: flag,
});
const behavior = checked(text, (value) =>
  ["", "create", "replace", "merge"].includes(value)
    ? undefined
    : "must be create, replace, or merge",
);
const GENERATOR: FieldReaders<Omit<Generator, "type">> = {
  name: required(entry),
  namespace: text,
  behavior,
  literals: listOrNone(text),
  files: listOrNone(text),
  envs: listOrNone(text),
  env: text,
  options: generatorOptions,
};
const image = mapping<ImageOverride>({
  name: required(checked(text, patternProblem)),
  newName: text,
  newTag: text,
  digest: text,
  tagSuffix: text,
});

/** The file as it is written: what says which kind it is comes before what is rendered. */
interface KustomizationFile extends Omit<Kustomization, "kind" | "file" | "placeOf"> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: object;
  /** The former name of `resources`. */
  readonly bases: readonly string[];
  /** The former name of `images`. */
  readonly imageTags: readonly ImageOverride[];
}

const kustomizationFile = mapping<KustomizationFile>({
  apiVersion: checked(text, (version) =>
    /^kustomize\.config\.k8s\.io\/v1(alpha1|beta1)$/.test(version)
      ? undefined
      : "must be kustomize.config.k8s.io/v1beta1, or v1alpha1 for a component",
  ),
  kind: checked(text, (kind) =>
    kind === "Kustomization" || kind === "Component"
      ? undefined
      : "must be Kustomization or Component",
  ),
  metadata: mapping<{ name?: string; namespace?: string; labels?: object; annotations?: object }>({
    name: text,
    namespace: text,
    labels: textMap,
    annotations: textMap,
  }),
  resources: listOrNone(entry),
  bases: listOrNone(entry),
  components: listOrNone(entry),
  configurations: listOrNone(entry),
  crds: listOrNone(entry),
  namespace: text,
  namePrefix: text,
  nameSuffix: text,
  labels: listOrNone(
    mapping<LabelSet>({
      pairs: required(textMap),
      includeSelectors: flag,
      includeTemplates: flag,
      fields: listOrNone(fieldSpec),
    }),
  ),
  commonLabels: textMap,
  commonAnnotations: textMap,
  images: listOrNone(image),
  imageTags: listOrNone(image),
  replicas: listOrNone(
    placed(
      mapping<{ name: string; count: number }>({ name: required(text), count: required(whole) }),
    ),
  ),
  patches: listOrNone(placed(patch)),
  patchesStrategicMerge: listOrNone(entry),
  patchesJson6902: listOrNone(placed(jsonPatch)),
  replacements: listOrNone(replacement),
  configMapGenerator: listOrNone(placed(mapping<Generator>(GENERATOR as FieldReaders<Generator>))),
  secretGenerator: listOrNone(placed(mapping<Generator>({ ...GENERATOR, type: text }))),
  generatorOptions,
  vars: listOrNone(
    placed(
      mapping<Variable>({
        name: required(entry),
        objref: required(mapping<ObjectReference>(REFERENCE)),
        fieldref: mapping<NonNullable<Variable["fieldref"]>>({ fieldPath: text, fieldpath: text }),
      }),
    ),
  ),
  sortOptions: checked(
    mapping<SortOptions>({
      order: checked(text, (order) =>
        order === "legacy" || order === "fifo" ? undefined : "must be legacy or fifo",
      ),
      legacySortOptions: mapping<NonNullable<SortOptions["legacySortOptions"]>>({
        orderFirst: listOrNone(text),
        orderLast: listOrNone(text),
      }),
    }),
    ({ order, legacySortOptions }) =>
      order === "legacy" || legacySortOptions === undefined
        ? undefined
        : "has `legacySortOptions`, which only the order `legacy` takes",
  ),
});

/**
 * Reads the kustomization of a folder.
 *
 * @throws TsopError `no-kustomization`, `broken-yaml`, `broken-kustomization` or `kustomize-field`
 */
export async function readKustomization(
  folder: string,
  files: SourceFiles,
): Promise<Kustomization> {
  const found: { path: string; content: string }[] = [];
  for (const name of FILE_NAMES) {
    const path = join(folder, name);
    const content = await files.find(path);
    if (content !== undefined) found.push({ path, content });
  }
  const [first, second] = found;
  if (!first) {
    throw new TsopError(
      "no-kustomization",
      `There is no kustomization.yaml in ${folder}.`,
      "`tsop manifests` writes that of config/crd once the project has a kind; restore others from version control.",
    );
  }
  if (second) {
    throw new TsopError(
      "broken-kustomization",
      `${second.path}: ${first.path} also exists, and a folder can have only one kustomization.`,
      "Remove one of them.",
    );
  }
  const { path, content } = first;
  const [document] = readYaml(content, path);
  if (!document || document.value === null || hasNoFields(document.value)) {
    throw new TsopError(
      "broken-kustomization",
      `${path}: it is empty.`,
      "Add `resources`, or restore the file from version control.",
    );
  }
  const read = kustomizationFile.read({ value: document.value, path: [], document });
  const { namespace = "", kind, apiVersion, bases, imageTags, resources, images, ...rest } = read;
  const expected = `kustomize.config.k8s.io/${kind === "Component" ? "v1alpha1" : "v1beta1"}`;
  if (apiVersion !== undefined && apiVersion !== "" && apiVersion !== expected) {
    throw new TsopError(
      "broken-kustomization",
      `${document.placeOf(["apiVersion"])}: the apiVersion of a ${kind ?? "Kustomization"} is ${expected}, and this is ${apiVersion}.`,
      "Correct it.",
    );
  }
  return {
    ...rest,
    file: path,
    placeOf: (named) => document.placeOf(pathOfText(document.value, named) ?? []),
    resources: [...resources, ...bases],
    images: [...images, ...imageTags],
    kind: kind === "Component" ? "Component" : "Kustomization",
    ...(namespace === "" ? {} : { namespace }),
  };
}

/** The path of the first text of a value that is this one, or gives it a key: `key=name`. */
function pathOfText(value: unknown, wanted: string): ValuePath | undefined {
  if (value === wanted) return [];
  if (typeof value === "string" && value.endsWith(`=${wanted}`)) return [];
  const items = Array.isArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, item] of items) {
    const below = pathOfText(item, wanted);
    if (below) return [key, ...below];
  }
  return undefined;
}

function hasNoFields(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.keys(value).every((field) => field === "apiVersion" || field === "kind")
  );
}

/** A path that a kustomization names. */
export function resolveIn(folder: string, named: string): string {
  if (/^[a-z]+:\/\/|^git@|\?ref=/.test(named)) {
    throw new TsopError(
      "kustomize-remote",
      `${folder}: \`${named}\` is a remote base; tsop renders local files only.`,
      "Copy it into the project, or render with `kubectl kustomize` and apply that.",
    );
  }
  return resolve(folder, named);
}
