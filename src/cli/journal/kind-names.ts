/** The kinds that a name of kubectl can mean: those of Kubernetes, and those of the project's CRDs. */
import { join } from "node:path";
import { builtInResources } from "../../controlplane/builtin/resources.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { EXTERNAL_CRDS } from "../project/installed.ts";
import { readIfThere } from "../project/plan.ts";
import { readDocuments } from "../project/yaml/yaml-documents.ts";
import { yamlFilesAt } from "../project/yaml/yaml-files.ts";

/** A kind with the names that it has beside `kind` and `plural.group`. */
export interface NamedKind extends Omit<ResourceInfo, "metadataOnly"> {
  readonly shortNames: readonly string[];
}

/** The kind of that name: of the project, or else of Kubernetes. */
export async function kindNamed(
  root: string | undefined,
  said: string,
): Promise<NamedKind | undefined> {
  const kinds = [...(root === undefined ? [] : await kindsOfProject(root)), ...builtInResources()];
  return kinds.find(({ kind, plural, group, shortNames }) =>
    [kind.toLowerCase(), plural, ...shortNames].some(
      (name) => said === name || (group !== "" && said === `${name}.${group}`),
    ),
  );
}

async function kindsOfProject(root: string): Promise<NamedKind[]> {
  const folders = ["config/crd/bases", EXTERNAL_CRDS].map((folder) => join(root, folder));
  const found = await Promise.all(folders.map((folder) => yamlFilesAt(folder)));
  const files = found.flatMap((paths) => paths ?? []);
  const texts = await Promise.all(files.map((file) => readIfThere(file)));
  return texts.flatMap((text, index) =>
    readDocuments(text ?? "", files[index] ?? "").flatMap(kindsOf),
  );
}

function kindsOf(document: unknown): NamedKind[] {
  if (!isJsonObject(document) || !isJsonObject(document["spec"])) return [];
  const { group, scope, names, versions } = document["spec"];
  if (typeof group !== "string" || !isJsonObject(names) || !Array.isArray(versions)) return [];
  const { kind, plural, shortNames } = names;
  const served: unknown = versions.find((one) => isJsonObject(one) && one["served"] === true);
  const version = isJsonObject(served) ? served["name"] : undefined;
  if (typeof kind !== "string" || typeof plural !== "string" || typeof version !== "string") {
    return [];
  }
  const short = Array.isArray(shortNames) ? shortNames.map(String) : [];
  return [{ group, version, kind, plural, namespaced: scope !== "Cluster", shortNames: short }];
}
