/**
 * The fields of a kustomization that this renderer knows. It refuses all others: a field that was ignored in silence
 * would deploy something else than `kubectl apply -k` does.
 */
import {
  checked,
  flag,
  listOf,
  listOrNone,
  mapping,
  placed,
  type ReadBy,
  required,
  text,
  textMap,
  whole,
} from "./fields.ts";
import { labelSelectorProblem, patternProblem } from "./select.ts";
import { fieldSpec } from "./transformer-configuration.ts";

const pattern = checked(text, patternProblem);
const selector = mapping({
  group: pattern,
  version: pattern,
  kind: pattern,
  name: pattern,
  namespace: pattern,
  labelSelector: checked(text, labelSelectorProblem),
  annotationSelector: checked(text, labelSelectorProblem),
});
const options = mapping({ delimiter: text, index: whole, create: flag });
const entry = checked(text, (path) => (path === "" ? "is empty" : undefined));
const patch = checked(
  mapping({
    path: text,
    patch: text,
    target: selector,
    options: mapping({ allowNameChange: flag, allowKindChange: flag }),
  }),
  ({ path = "", patch: own = "" }) =>
    (path === "") === (own.trim() === "") ? "must have either `path` or `patch`" : undefined,
);
const jsonPatch = checked(patch, ({ target }) =>
  (target?.name ?? "") === "" ? "has no `target` with a `name`" : undefined,
);
const REFERENCE = {
  apiVersion: text,
  group: text,
  version: text,
  kind: text,
  name: text,
  namespace: text,
};
const REPLACEMENT = {
  source: mapping({ ...REFERENCE, fieldPath: text, options }),
  sourceValue: text,
  targets: checked(
    listOf(
      mapping({
        select: required(selector),
        reject: listOf(selector),
        fieldPaths: listOf(text),
        options,
      }),
    ),
    (targets) => (targets.length === 0 ? "has no target" : undefined),
  ),
};
const ownReplacement = mapping(REPLACEMENT);
/** The problem of a replacement that is written in place. */
function replacementProblem({
  source,
  sourceValue,
  targets,
}: WrittenReplacement): string | undefined {
  if (source === undefined && sourceValue === undefined) return "has no `source`";
  if (source !== undefined && sourceValue !== undefined) return "has `source` and `sourceValue`";
  return targets === undefined ? "has no `targets`" : undefined;
}
const replacement = placed(
  checked(mapping({ ...REPLACEMENT, path: text }), ({ path = "", ...own }) => {
    if (path === "") return replacementProblem(own);
    return Object.keys(own).length > 0 ? "has a `path` and other fields" : undefined;
  }),
);
/** Replacements of a file: one, or a list. */
export const replacementFile = checked(ownReplacement, replacementProblem);

const generatorOptions = mapping({
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
const GENERATOR = {
  name: required(entry),
  namespace: text,
  behavior,
  literals: listOrNone(text),
  files: listOrNone(text),
  envs: listOrNone(text),
  env: text,
  options: generatorOptions,
};
const image = mapping({
  name: required(checked(text, patternProblem)),
  newName: text,
  newTag: text,
  digest: text,
  tagSuffix: text,
});

const labelSet = mapping({
  pairs: required(textMap),
  includeSelectors: flag,
  includeTemplates: flag,
  fields: listOrNone(fieldSpec),
});
const secret = placed(mapping({ ...GENERATOR, type: text }));
const variable = placed(
  mapping({
    name: required(entry),
    objref: required(mapping(REFERENCE)),
    // The key is written both ways in kustomize's own documentation.
    fieldref: mapping({ fieldPath: text, fieldpath: text }),
  }),
);

export const kustomizationFile = mapping({
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
  metadata: mapping({
    name: text,
    namespace: text,
    labels: textMap,
    annotations: textMap,
  }),
  resources: listOrNone(entry),
  bases: listOrNone(entry), // the former name of `resources`
  components: listOrNone(entry),
  configurations: listOrNone(entry),
  crds: listOrNone(entry),
  namespace: text,
  namePrefix: text,
  nameSuffix: text,
  labels: listOrNone(labelSet),
  commonLabels: textMap,
  commonAnnotations: textMap,
  images: listOrNone(image),
  imageTags: listOrNone(image), // the former name of `images`
  replicas: listOrNone(placed(mapping({ name: required(text), count: required(whole) }))),
  patches: listOrNone(placed(patch)),
  patchesStrategicMerge: listOrNone(entry),
  patchesJson6902: listOrNone(placed(jsonPatch)),
  replacements: listOrNone(replacement),
  configMapGenerator: listOrNone(placed(mapping(GENERATOR))),
  secretGenerator: listOrNone(secret),
  generatorOptions,
  vars: listOrNone(variable),
  sortOptions: checked(
    mapping({
      order: checked(text, (order) =>
        order === "legacy" || order === "fifo" ? undefined : "must be legacy or fifo",
      ),
      legacySortOptions: mapping({
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

/** A patch: JSON6902 when its text is a list, strategic merge otherwise. */
export type Patch = ReadBy<typeof patch>;

/** Another image for containers whose image has that name, a regular expression. */
export type ImageOverride = ReadBy<typeof image>;

/** Labels for objects, and the other places that get them. */
export type LabelSet = ReadBy<typeof labelSet>;

type WrittenReplacement = ReadBy<typeof ownReplacement>;

/** Copies a field of one object, or a fixed text, into fields of others. */
export type Replacement = WrittenReplacement & Required<Pick<WrittenReplacement, "targets">>;

/** A replacement, or the file that holds some. */
export type ReplacementEntry = ReadBy<typeof replacement>;

export type FieldOptions = ReadBy<typeof options>;

export type GeneratorOptions = ReadBy<typeof generatorOptions>;

/** A ConfigMap or Secret made of files and literals. */
export type Generator = ReadBy<typeof secret>;

/** A text that stands for the value of another object's field. */
export type Variable = ReadBy<typeof variable>;

type KustomizationFile = ReadBy<typeof kustomizationFile>;

export interface Kustomization extends Omit<KustomizationFile, "kind" | "bases" | "imageTags"> {
  readonly file: string;
  /** The place of an entry that names a file or folder: `file:line:column`. */
  readonly placeOf: (entry: string) => string;
  readonly kind: "Kustomization" | "Component";
}
