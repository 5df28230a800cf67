/**
 * The classes of a project that stand for kinds, found by what `@Resource` says, wherever they are.
 */
import { resolve } from "node:path";
import { pluralOf } from "../kube/plural.ts";
import type { ResourceInfo } from "../kube/resource.ts";
import { Findings } from "./findings.ts";
import { ts } from "./load.ts";
import { decorationsOf } from "./read/marks/marks.ts";
import { openModules, readerOf } from "./read-project.ts";
import { readResource } from "./read/marks/resource-call.ts";
import { readSources } from "./sources.ts";

export interface KindClass extends ResourceInfo {
  readonly className: string;
  /** The path relative to the project, with `/`. */
  readonly file: string;
  /** Whether the CRD is somebody else's. */
  readonly external: boolean;
}

/**
 * All kinds of a folder; a decorator that cannot be read is left to `tsop manifests`, which says
 * why.
 */
export function findClasses(folder: string): readonly KindClass[] {
  const root = resolve(folder);
  const modules = openModules(root);
  const sources = readSources(root);
  const reader = readerOf(modules, sources, new Findings());
  return [...sources].flatMap(([path, text]) => {
    if (!text.includes("Resource")) return [];
    const module = modules.get(path);
    return [...module.declarations.values()].flatMap((node): KindClass[] => {
      if (!ts.isClassDeclaration(node) || !node.name) return [];
      const resource = decorationsOf(reader, module, node).find(({ name }) => name === "Resource");
      const said = resource && readResource(reader, module, resource.call)?.values;
      const { group, version, kind = node.name.text, plural, scope } = said ?? {};
      if (typeof group !== "string" || typeof version !== "string") return [];
      return [
        {
          group,
          version,
          kind: String(kind),
          plural: typeof plural === "string" ? plural : pluralOf(String(kind)),
          namespaced: scope !== "Cluster",
          className: node.name.text,
          file: modules.show(path).replaceAll("\\", "/"),
          external: said?.["external"] === true,
        },
      ];
    });
  });
}
