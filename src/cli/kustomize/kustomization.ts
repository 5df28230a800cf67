/**
 * `kustomization.yaml`: reading it, and refusing what this renderer does not know. A field that is
 * passed over in silence would deploy something else than `kubectl apply -k` does.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";
import { readYaml } from "../project/yaml-documents.ts";
import type { SourceFiles } from "./source-files.ts";

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

const KNOWN_FIELDS = new Set(
  (
    "apiVersion kind metadata resources components configurations namespace namePrefix nameSuffix " +
    "labels commonAnnotations images replicas patches replacements"
  ).split(" "),
);
const FILE_NAMES = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/**
 * Reads the kustomization of a folder.
 *
 * @throws TsopError `no-kustomization`, `broken-yaml` or `kustomize-field`
 */
export async function readKustomization(
  folder: string,
  files: SourceFiles,
): Promise<Kustomization> {
  for (const name of FILE_NAMES) {
    const path = join(folder, name);
    const text = await files.find(path);
    if (text === undefined) continue;
    const [data = {}] = parseYaml(path, text);
    if (!isJsonObject(data)) throw brokenField(path, "it is not a mapping");
    return checked(path, data);
  }
  throw new TsopError(
    "no-kustomization",
    `There is no kustomization.yaml in ${folder}.`,
    "`tsop manifests` writes that of config/crd once the project has a kind; restore others from version control.",
  );
}

function checked(path: string, data: JsonObject): Kustomization {
  const unknown = Object.keys(data).find((field) => !KNOWN_FIELDS.has(field));
  if (unknown !== undefined) {
    throw new TsopError(
      "kustomize-field",
      `${path}: tsop does not render the field \`${unknown}\`.`,
      "Write it as `patches` or `labels`, or render with `kubectl kustomize` and apply that.",
    );
  }
  for (const list of ["resources", "components", "configurations", "images", "patches"]) {
    if (data[list] !== undefined && data[list] !== null && !Array.isArray(data[list])) {
      throw brokenField(path, `\`${list}\` is not a list`);
    }
  }
  return {
    kind: data["kind"] === "Component" ? "Component" : "Kustomization",
    resources: list(data["resources"]),
    components: list(data["components"]),
    configurations: list(data["configurations"]),
    labels: list(data["labels"]),
    images: list(data["images"]),
    replicas: list(data["replicas"]),
    patches: list(data["patches"]),
    replacements: list(data["replacements"]),
    ...optional(data, "namespace"),
    ...optional(data, "namePrefix"),
    ...optional(data, "nameSuffix"),
    ...(isJsonObject(data["commonAnnotations"])
      ? { commonAnnotations: data["commonAnnotations"] as Record<string, string> }
      : {}),
  };
}

/** Items are taken at their word: a wrong one shows where it is used. */
function list(value: unknown): readonly never[] {
  return Array.isArray(value) ? (value as never[]) : [];
}

function optional<K extends string>(data: JsonObject, field: K): { [key in K]?: string } {
  const value = data[field];
  return typeof value === "string" && value !== ""
    ? ({ [field]: value } as { [key in K]: string })
    : {};
}

/** The objects of a YAML file; lists of objects are unfolded. */
export async function readManifests(path: string, files: SourceFiles): Promise<KubeObject[]> {
  const text = await files.read(path);
  return parseYaml(path, text).flatMap((document, index) => {
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
export function parseYaml(path: string, text: string): unknown[] {
  return readYaml(text, path).map(({ value }) => value);
}

/** A path that a kustomization names. */
export function resolveIn(folder: string, entry: string): string {
  if (/^[a-z]+:\/\/|^git@|\?ref=/.test(entry)) {
    throw new TsopError(
      "kustomize-remote",
      `${folder}: \`${entry}\` is a remote base; tsop renders local files only.`,
      "Copy it into the project, or render with `kubectl kustomize` and apply that.",
    );
  }
  return resolve(folder, entry);
}

function brokenField(path: string, what: string): TsopError {
  return new TsopError(
    "broken-kustomization",
    `${path}: ${what}.`,
    "Repair it, or restore it from version control.",
  );
}
