/** The manifests of an operator's project, and of others. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { renderKustomization } from "../cli/kustomize/render.ts";
import { messageOf, TsopError } from "../errors.ts";
import type { ManifestObject } from "../kube/object.ts";
import type { Client } from "../runtime/client/client.ts";

/** The rendered `config/default` of a project. @throws TsopError `no-manifests` */
export function renderDefault(folder: string): Promise<ManifestObject[]> {
  return renderKustomization(join(folder, "default")).catch((error: unknown) => {
    throw noManifests(error);
  });
}

/** Applies an object of any kind that the cluster serves. */
export async function applyTo(client: Client, object: ManifestObject): Promise<void> {
  await client.apply(await client.dynamic(object.apiVersion, object.kind), object);
}

/** The objects in the files of a folder, which need not exist. */
export async function readFolder(folder: string): Promise<ManifestObject[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".yaml")).sort();
  return (await Promise.all(files.map((name) => readManifests(join(folder, name))))).flat();
}

async function readManifests(path: string): Promise<ManifestObject[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw noManifests(error);
  });
  return objectsIn(text);
}

/** @throws Error for a text that is not YAML */
function objectsIn(text: string): ManifestObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [mistake] = document.errors;
    if (mistake) throw mistake;
    const object = document.toJS() as (ManifestObject & { items?: ManifestObject[] }) | null;
    if (object === null) return [];
    return object.kind === "List" ? (object.items ?? []) : [object];
  });
}

/**
 * The objects in a file, or in the YAML and JSON files of a folder.
 *
 * @throws TsopError `crds-unreadable` when there are none
 */
export async function readManifestPath(path: string): Promise<ManifestObject[]> {
  try {
    const files = (await stat(path)).isDirectory()
      ? (await readdir(path))
          .filter((name) => /\.(ya?ml|json)$/.test(name))
          .sort()
          .map((name) => join(path, name))
      : [path];
    const objects = await Promise.all(
      files.map(async (file) => objectsIn(await readFile(file, "utf8"))),
    );
    if (objects.flat().length === 0) throw new Error("it has no objects");
    return objects.flat();
  } catch (error) {
    throw new TsopError(
      "crds-unreadable",
      `CRDs cannot be read from ${path}: ${messageOf(error)}.`,
      "Pass a file, or a folder with files, of YAML or JSON; the path is relative to the folder that the tests run in.",
      { cause: error },
    );
  }
}

function noManifests(cause: unknown): TsopError {
  return new TsopError(
    "no-manifests",
    `The operator's manifests cannot be read: ${messageOf(cause)}.`,
    "Run `npx tsop manifests` in the project's folder, and the tests from there.",
    { cause },
  );
}
