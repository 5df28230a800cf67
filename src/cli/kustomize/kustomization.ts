/** The fields of a kustomization, as far as this renderer knows them. */
import type { FieldSpec } from "./field-specs.ts";
import type { Placed } from "./fields.ts";
import type { SortOptions } from "./order.ts";
import type { KindSelector } from "./resource.ts";
import type { Selector } from "./select.ts";

/** A patch: JSON6902 when its text is a list, strategic merge otherwise. */
export interface Patch {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: Selector;
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean };
}

/** Another image for containers whose image has that name, a regular expression. */
export interface ImageOverride {
  readonly name: string;
  readonly newName?: string;
  readonly newTag?: string;
  readonly digest?: string;
  readonly tagSuffix?: string;
}

/** Labels for objects, and the other places that get them. */
export interface LabelSet {
  readonly pairs: Record<string, string>;
  readonly includeSelectors?: boolean;
  readonly includeTemplates?: boolean;
  readonly fields: readonly FieldSpec[];
}

/** A reference to one object, by its kind and name. */
export interface ObjectReference extends KindSelector {
  readonly apiVersion?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Copies a field of one object, or a fixed text, into fields of others. */
export interface Replacement {
  readonly source?: ObjectReference & {
    readonly fieldPath?: string;
    readonly options?: FieldOptions;
  };
  readonly sourceValue?: string;
  readonly targets: readonly {
    readonly select: Selector;
    readonly reject?: readonly Selector[];
    readonly fieldPaths?: readonly string[];
    readonly options?: FieldOptions;
  }[];
}

/** A replacement, or the file that holds some. */
export type ReplacementEntry = Placed<Partial<Replacement> & { readonly path?: string }>;

export interface FieldOptions {
  readonly delimiter?: string;
  readonly index?: number;
  readonly create?: boolean;
}

export interface GeneratorOptions {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly disableNameSuffixHash?: boolean;
  readonly immutable?: boolean;
}

/** A ConfigMap or Secret made of files and literals. */
export interface Generator {
  readonly name: string;
  readonly namespace?: string;
  readonly behavior?: string;
  readonly literals: readonly string[];
  readonly files: readonly string[];
  readonly envs: readonly string[];
  readonly env?: string;
  readonly options?: GeneratorOptions;
  readonly type?: string;
}

/** A text that stands for the value of another object's field. */
export interface Variable {
  readonly name: string;
  readonly objref: ObjectReference;
  /** The key is written both ways in kustomize's own documentation. */
  readonly fieldref?: { readonly fieldPath?: string; readonly fieldpath?: string };
}

/** A kustomization, as far as it is understood here. */
export interface Kustomization {
  readonly file: string;
  /** The place of an entry that names a file or folder: `file:line:column`. */
  readonly placeOf: (entry: string) => string;
  readonly kind: "Kustomization" | "Component";
  readonly resources: readonly string[];
  readonly components: readonly string[];
  readonly configurations: readonly string[];
  readonly crds: readonly string[];
  readonly namespace?: string;
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly labels: readonly LabelSet[];
  readonly commonLabels?: Record<string, string>;
  readonly commonAnnotations?: Record<string, string>;
  readonly images: readonly ImageOverride[];
  readonly replicas: readonly Placed<{ readonly name: string; readonly count: number }>[];
  readonly patches: readonly Placed<Patch>[];
  readonly patchesStrategicMerge: readonly string[];
  readonly patchesJson6902: readonly Placed<Patch>[];
  readonly replacements: readonly ReplacementEntry[];
  readonly configMapGenerator: readonly Placed<Generator>[];
  readonly secretGenerator: readonly Placed<Generator>[];
  readonly generatorOptions?: GeneratorOptions;
  readonly vars: readonly Placed<Variable>[];
  readonly sortOptions?: SortOptions;
}
