/** The programs of a project's plugins, as `tsop build` writes them. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bundledPlugin } from "./bundle-plugin.ts";
import { packageFacts } from "../project/package-facts.ts";
import type { Project } from "../project/project-file.ts";
import { completionOf, PROGRAMS, programOf } from "../project/plugins/plugin-names.ts";

/** Hands what kubectl asks for to the program beside it, wherever links to the two are. */
const completionText = (program: string): string => `#!/usr/bin/env node
var node = process.getBuiltinModule;
var here = node("node:fs").realpathSync(process.argv[1]);
process.argv.splice(2, 0, "__complete");
node("node:module").createRequire(here)("./${program}");
`;

/**
 * The programs of one plugin, by path in the project.
 *
 * @throws SourceError for code that cannot be bundled, with its positions; TsopError `plugin-missing`
 */
export async function builtPlugin(
  { root, projectName }: Project,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const { version } = await packageFacts(root, projectName);
  const program = programOf(name);
  return new Map([
    [`${PROGRAMS}/${program}`, await bundledPlugin(root, { name, version })],
    [`${PROGRAMS}/${completionOf(name)}`, completionText(program)],
  ]);
}

/** The programs of all plugins; `undefined` for those of plugins that the project had. */
export async function builtPlugins(
  project: Project,
): Promise<ReadonlyMap<string, string | undefined>> {
  const files = new Map<string, string | undefined>();
  for (const entry of await readdir(join(project.root, PROGRAMS)).catch(() => [])) {
    if (/^kubectl(_complete)?-[a-z0-9_]+$/.test(entry))
      files.set(`${PROGRAMS}/${entry}`, undefined);
  }
  for (const { name } of project.plugins) {
    for (const [path, text] of await builtPlugin(project, name)) files.set(path, text);
  }
  return files;
}
