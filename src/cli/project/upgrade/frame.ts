/**
 * The frame of a project: what `tsop init`, the optional parts and the certificates of webhooks scaffold, as this tsop
 * scaffolds it. The code of kinds is not part of it: it is the author's from the first day.
 */
import { join } from "node:path";
import { isJsonObject } from "../../../kube/json.ts";
import { Draft } from "../draft.ts";
import { PARTS } from "../part-names.ts";
import { enabledParts, partFiles } from "../parts.ts";
import { readIfThere } from "../plan.ts";
import type { Project } from "../project-file.ts";
import { PROJECT_FILE } from "../project-root.ts";
import { DEV_CONTAINER, devContainerFiles } from "../scaffold/dev-container.ts";
import { renderTemplates } from "../scaffold/scaffold.ts";
import { tsopDependency } from "../scaffold/tsop-dependency.ts";
import { certificateTemplate } from "../webhooks/webhook-config.ts";

/**
 * The frame that this tsop scaffolds for the project as `PROJECT`, `package.json` and `config/default` say it is.
 *
 * @param recorded - the files that were scaffolded before: parts that are off and still have theirs are in the frame, too
 * @param commands - the table of all commands, for `AGENTS.md`
 */
export async function frameOf(
  project: Project,
  recorded: ReadonlyMap<string, string>,
  commands: string,
): Promise<Map<string, string>> {
  const { root, projectName, domain, namespaced, certificates, resources } = project;
  const { author, license } = await packageFacts(root);
  const dependency = await tsopDependency(root);
  const values = {
    projectName,
    domain,
    namespaced,
    owner: author,
    commands,
    license,
    tsopDependency: dependency.spec,
    tsopArchive: dependency.archive ?? "",
  };
  const files = await renderTemplates({ root, template: "init", values });
  files.delete(PROJECT_FILE);
  const hasWebhooks = resources.some(({ webhooks }) => webhooks !== undefined);
  const enabled = await enabledParts(new Draft(root));
  const added: ReadonlyMap<string, string>[] = [];
  for (const part of PARTS) {
    const own = await partFiles(project, part, hasWebhooks);
    const isThere = enabled.has(part) || [...own.keys()].some((path) => recorded.has(path));
    if (isThere) added.push(own);
  }
  if (recorded.has(DEV_CONTAINER)) added.push(await devContainerFiles(project));
  if (certificates !== undefined) {
    added.push(await renderTemplates(certificateTemplate(project, certificates)));
  }
  return new Map([...files, ...added.flatMap((one) => [...one])]);
}

interface PackageFacts {
  readonly author: string;
  readonly license: string;
}

/** The author and the licence that `init` was told. */
async function packageFacts(root: string): Promise<PackageFacts> {
  const text = await readIfThere(join(root, "package.json"));
  let said: unknown;
  try {
    said = JSON.parse(text ?? "");
  } catch {
    said = undefined; // The merge will say that it is not JSON, with a place.
  }
  const told = (key: string): string => {
    const value = isJsonObject(said) ? said[key] : undefined;
    return typeof value === "string" ? value : "";
  };
  return { author: told("author"), license: told("license") };
}
