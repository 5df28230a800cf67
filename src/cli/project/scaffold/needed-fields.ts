/** The fields that a test has to give an object of a kind that is not scaffolded. */
import { join } from "node:path";
import { readCrd } from "../../../generator/import/read-crd.ts";
import { literal } from "../../../generator/import/source-text.ts";
import { EXTERNAL_CRDS } from "../installed.ts";
import type { ApiTarget } from "./api-target.ts";
import { neededFields } from "./built-in-kinds.ts";
import { minimalObject } from "./minimal-object.ts";
import { readIfThere } from "../plan.ts";
import { apiGroupOf, type Project } from "../project-file.ts";
import { readDocuments } from "../yaml/yaml-documents.ts";

/** The lines of an object beside its metadata; `undefined` where it is not known what it needs. */
export async function neededLines(
  project: Project,
  { resource, namespaced }: ApiTarget,
): Promise<readonly string[] | undefined> {
  const { kind, version, plural } = resource;
  const group = apiGroupOf(project, resource);
  const object = resource.core
    ? neededFields({ group, version, kind, plural, namespaced })
    : await externalObject(project.root, group, plural, version);
  return object && linesOf(object);
}

/** The fields, each as a line of TypeScript. */
export const linesOf = (object: object): string[] =>
  Object.entries(object).map(([name, value]) => `${name}: ${literal(value)}`);

/** The fields that the CRD in `config/external` asks for; `undefined` without one. */
async function externalObject(
  root: string,
  group: string,
  plural: string,
  version: string,
): Promise<object | undefined> {
  const path = `${EXTERNAL_CRDS}/${group}_${plural}.yaml`;
  const text = await readIfThere(join(root, path));
  const [found] = text === undefined ? [] : readDocuments(text, path);
  if (found === undefined) return undefined;
  const { versions } = readCrd(found, path).spec;
  const schema = versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  return schema ? minimalObject(schema) : undefined;
}
