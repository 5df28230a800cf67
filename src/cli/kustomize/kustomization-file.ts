/** `kustomization.yaml`: finding and reading it. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import { readYaml, type ValuePath } from "../project/yaml/yaml-documents.ts";
import { kustomizationFile, type Kustomization } from "./kustomization.ts";
import type { SourceFiles } from "./source-files.ts";

const FILE_NAMES = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** Whether the path is a folder with a kustomization of its own. */
export const hasKustomization = (folder: string): boolean =>
  FILE_NAMES.some((name) => existsSync(join(folder, name)));

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
