/**
 * Whether the rights of a project are read from its code, for commands that scaffold more of it.
 */
import { resolve } from "node:path";
import { Findings } from "./findings.ts";
import { openModules, readProject } from "./read-project.ts";
import { readSources } from "./sources.ts";

/**
 * Whether the code asks for something and no `@Rbac` says a right: the first `@Rbac` of such a project would have to be
 * followed by all the others. What cannot be read is left to `tsop manifests`, which says why.
 */
export function infersRights(folder: string): boolean {
  const root = resolve(folder);
  const { grants, uses } = readProject(openModules(root), readSources(root), new Findings());
  return grants.length === 0 && uses.uses.length > 0;
}
