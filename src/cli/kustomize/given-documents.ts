/** The documents of a file or folder that a user names: a folder with a kustomization is rendered. */
import { dirname } from "node:path";
import { TsopError } from "../../errors.ts";
import { isJsonObject, sameJson } from "../../kube/json.ts";
import { readIfThere } from "../project/plan.ts";
import { readYaml } from "../project/yaml/yaml-documents.ts";
import { yamlFilesAt } from "../project/yaml/yaml-files.ts";
import { hasKustomization } from "./kustomization-file.ts";
import { type RenderedObject, renderWithFiles } from "./render.ts";

/** A document, and the place of its parts for errors. */
export interface GivenDocument {
  readonly value: unknown;
  readonly placeOf: (path: readonly (string | number)[]) => string;
}

/** The documents of a path, and what was found beside them. */
export interface GivenDocuments {
  readonly documents: readonly GivenDocument[];
  /** What a reader may have expected and did not get, in sentences. */
  readonly notes: readonly string[];
}

/** The number of folders above a path in which a kustomization may patch its CRDs: `config/crd` for `config/crd/bases`. */
const LEVELS = 2;

/**
 * The documents of the file at `path`, or of all files in the folder there; `undefined` where there is neither. A folder
 * with a kustomization is rendered. A kustomization above that changes the CRDs of the path is named in a note.
 *
 * @param shown - a path as the user knows it
 */
export async function documentsAt(
  path: string,
  shown: (path: string) => string,
): Promise<GivenDocuments | undefined> {
  const files = await yamlFilesAt(path);
  if (!files) return undefined;
  if (hasKustomization(path)) return rendered(path, files, shown);
  const documents = await Promise.all(files.map((file) => documentsIn(file, shown)));
  return { documents: documents.flat(), notes: await notesOnPatches(path, files, shown) };
}

async function documentsIn(
  file: string,
  shown: (path: string) => string,
): Promise<GivenDocument[]> {
  return readYaml((await readIfThere(file)) ?? "", shown(file));
}

async function rendered(
  folder: string,
  files: readonly string[],
  shown: (path: string) => string,
): Promise<GivenDocuments> {
  const objects = await renderWithFiles(folder);
  const known = new Set(objects.map(({ file }) => file));
  const left: string[] = [];
  for (const file of files) {
    if (known.has(file)) continue;
    const crds = (await documentsIn(file, shown)).filter(isWholeCrd);
    if (crds.length > 0) left.push(shown(file));
  }
  return {
    documents: objects.map(({ object, file }) => ({
      value: object,
      placeOf: () => shown(file ?? folder),
    })),
    notes: left.map(
      (file) =>
        `${file} has a CRD that the kustomization of ${shown(folder) || "."} does not include, so it is left out.`,
    ),
  };
}

/** A patch of a CRD has no versions with schemas. */
function isWholeCrd({ value }: GivenDocument): boolean {
  if (!isJsonObject(value) || value["kind"] !== "CustomResourceDefinition") return false;
  const { spec } = value;
  return isJsonObject(spec) && isJsonObject(spec["names"]);
}

/** Notes on the nearest kustomization above that gives one of the CRDs another spec. */
async function notesOnPatches(
  path: string,
  files: readonly string[],
  shown: (path: string) => string,
): Promise<string[]> {
  let folder = path;
  for (let level = 0; level < LEVELS; level++) {
    folder = dirname(folder);
    if (hasKustomization(folder)) return changedBy(folder, files, shown);
  }
  return [];
}

async function changedBy(
  folder: string,
  files: readonly string[],
  shown: (path: string) => string,
): Promise<string[]> {
  let objects: readonly RenderedObject[];
  try {
    objects = await renderWithFiles(folder);
  } catch (error) {
    if (!(error instanceof TsopError)) throw error;
    return [
      `The kustomization of ${shown(folder)} may change these CRDs, but it cannot be rendered: ${error.message}`,
    ];
  }
  const notes: string[] = [];
  for (const { object, file } of objects) {
    if (object.kind !== "CustomResourceDefinition" || !file || !files.includes(file)) continue;
    const written = (await documentsIn(file, shown))
      .map(({ value }) => value)
      .find(
        (value) =>
          isJsonObject(value) &&
          isJsonObject(value["metadata"]) &&
          value["metadata"]["name"] === object.metadata.name,
      );
    const parts = changedParts(written, object);
    if (parts.length === 0) continue;
    notes.push(
      `The kustomization of ${shown(folder)} changes ${parts.join(", ")} of ${object.metadata.name}, which ${shown(file)} does not have. Pass ${shown(folder)} instead to include it.`,
    );
  }
  return notes;
}

/** The fields of `spec` that differ. */
function changedParts(before: unknown, after: unknown): string[] {
  const [old, now] = [before, after].map((object) =>
    isJsonObject(object) && isJsonObject(object["spec"]) ? object["spec"] : {},
  );
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  return [...names]
    .filter((name) => !sameJson(old?.[name], now?.[name]))
    .map((name) => `spec.${name}`);
}
