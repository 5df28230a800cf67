/**
 * `kustomization.yaml`: reading it, and refusing what this renderer does not know. A field that is
 * passed over in silence would deploy something else than `kubectl apply -k` does.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { readYaml } from "../project/yaml-documents.ts";
import {
  checked,
  type FieldReaders,
  flag,
  listOf,
  listOrNone,
  mapping,
  required,
  text,
  textMap,
  whole,
} from "./fields.ts";
import { labelSelectorProblem, patternProblem, type Selector } from "./select.ts";
import type { SourceFiles } from "./source-files.ts";

/** A patch: JSON6902 when its text is a list, strategic merge otherwise. */
export interface Patch {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: Selector;
}

/** Another image for containers whose image has that name. */
export interface ImageOverride {
  readonly name: string;
  readonly newName?: string;
  readonly newTag?: string;
  readonly digest?: string;
}

/** Labels for objects, and where else they go. */
export interface LabelSet {
  readonly pairs: Record<string, string>;
  readonly includeSelectors?: boolean;
  readonly includeTemplates?: boolean;
}

/** Copies a field of one object into fields of others. */
export interface Replacement {
  readonly source: Selector & { readonly fieldPath?: string; readonly options?: FieldOptions };
  readonly targets: readonly {
    readonly select: Selector;
    readonly reject?: readonly Selector[];
    readonly fieldPaths?: readonly string[];
    readonly options?: FieldOptions;
  }[];
}

/** Which part of a delimited field is meant, and whether a missing field is made. */
export interface FieldOptions {
  readonly delimiter?: string;
  readonly index?: number;
  readonly create?: boolean;
}

/** A kustomization, as far as it is understood here. */
export interface Kustomization {
  readonly kind: "Kustomization" | "Component";
  readonly resources: readonly string[];
  readonly components: readonly string[];
  readonly configurations: readonly string[];
  readonly namespace?: string;
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly labels: readonly LabelSet[];
  readonly commonAnnotations?: Record<string, string>;
  readonly images: readonly ImageOverride[];
  readonly replicas: readonly { readonly name: string; readonly count: number }[];
  readonly patches: readonly Patch[];
  readonly replacements: readonly Replacement[];
}

const FILE_NAMES = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

const pattern = checked(text, patternProblem);
const SELECTOR: FieldReaders<Selector> = {
  group: pattern,
  version: pattern,
  kind: pattern,
  name: pattern,
  namespace: pattern,
  labelSelector: checked(text, labelSelectorProblem),
  annotationSelector: checked(text, labelSelectorProblem),
};
const selector = mapping<Selector>(SELECTOR);
const options = mapping<FieldOptions>({ delimiter: text, index: whole, create: flag });
const entry = checked(text, (path) => (path === "" ? "is empty" : undefined));
const patch = checked(
  mapping<Patch>({ path: text, patch: text, target: selector }),
  ({ path = "", patch: own = "" }) =>
    (path === "") === (own === "") ? "has to have either `path` or `patch`" : undefined,
);
const replacement = mapping<Replacement>({
  source: required(mapping<Replacement["source"]>({ ...SELECTOR, fieldPath: text, options })),
  targets: required(
    checked(
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
  ),
});

/** The file as it is written: what says which kind it is comes before what is rendered. */
interface KustomizationFile extends Omit<Kustomization, "kind"> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: object;
}

const kustomizationFile = mapping<KustomizationFile>({
  apiVersion: checked(text, (version) =>
    /^kustomize\.config\.k8s\.io\/v1(alpha1|beta1)$/.test(version)
      ? undefined
      : "has to be kustomize.config.k8s.io/v1beta1, or v1alpha1 for a component",
  ),
  kind: checked(text, (kind) =>
    kind === "Kustomization" || kind === "Component"
      ? undefined
      : "has to be Kustomization or Component",
  ),
  metadata: mapping<{ name?: string; labels?: object; annotations?: object }>({
    name: text,
    labels: textMap,
    annotations: textMap,
  }),
  resources: listOrNone(entry),
  components: listOrNone(entry),
  configurations: listOrNone(entry),
  namespace: text,
  namePrefix: text,
  nameSuffix: text,
  labels: listOrNone(
    mapping<LabelSet>({
      pairs: required(textMap),
      includeSelectors: flag,
      includeTemplates: flag,
    }),
  ),
  commonAnnotations: textMap,
  images: listOrNone(
    mapping<ImageOverride>({ name: required(text), newName: text, newTag: text, digest: text }),
  ),
  replicas: listOrNone(
    mapping<Kustomization["replicas"][number]>({ name: required(text), count: required(whole) }),
  ),
  patches: listOrNone(patch),
  replacements: listOrNone(replacement),
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
  for (const name of FILE_NAMES) {
    const path = join(folder, name);
    const content = await files.find(path);
    if (content === undefined) continue;
    const [document] = readYaml(content, path);
    if (!document || document.value === null) {
      throw new TsopError(
        "broken-kustomization",
        `${path}: it is empty.`,
        "Add `resources`, or restore the file from version control.",
      );
    }
    const read = kustomizationFile.read({ value: document.value, path: [], document });
    const { namespace = "", kind, ...rest } = read;
    return {
      ...rest,
      kind: kind === "Component" ? "Component" : "Kustomization",
      ...(namespace === "" ? {} : { namespace }),
    };
  }
  throw new TsopError(
    "no-kustomization",
    `There is no kustomization.yaml in ${folder}.`,
    "`tsop manifests` writes that of config/crd once the project has a kind; restore others from version control.",
  );
}

/** The objects of a YAML file; lists of objects are unfolded. */
export async function readManifests(path: string, files: SourceFiles): Promise<KubeObject[]> {
  return parseYaml(path, await files.read(path)).flatMap((document, index) => {
    if (document === null || document === undefined) return [];
    const items =
      isJsonObject(document) && String(document["kind"]).endsWith("List")
        ? document["items"]
        : undefined;
    const objects: unknown[] = Array.isArray(items) ? items : [document];
    for (const object of objects) assertManifest(path, index, object);
    return objects as KubeObject[];
  });
}

function assertManifest(path: string, index: number, object: unknown): void {
  const metadata = isJsonObject(object) ? object["metadata"] : undefined;
  if (
    isJsonObject(object) &&
    typeof object["apiVersion"] === "string" &&
    typeof object["kind"] === "string" &&
    isJsonObject(metadata) &&
    typeof metadata["name"] === "string"
  ) {
    return;
  }
  throw new TsopError(
    "not-a-manifest",
    `${path}: document ${index + 1} has no apiVersion, kind and metadata.name.`,
    "Add them, or take the file out of the kustomization.",
  );
}

/** The documents of a YAML text. */
export function parseYaml(path: string, content: string): unknown[] {
  return readYaml(content, path).map(({ value }) => value);
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
