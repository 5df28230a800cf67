/** `tsop create plugin`: adds a kubectl plugin to the project. */
import { UsageError } from "../../../../errors.ts";
import { apiVersionOf } from "../../../../kube/resource.ts";
import type { CliContext } from "../../../context.ts";
import { paint } from "../../../output.ts";
import { changeProject } from "../../../project/change-project.ts";
import { checkKind, checkVersion } from "../../../project/inputs.ts";
import type { Draft } from "../../../project/draft.ts";
import { PACKAGE_FILE, withPrograms } from "../../../project/plugins/package-bin.ts";
import { checkPluginName, programOf } from "../../../project/plugins/plugin-names.ts";
import { apiGroupOf, isSameKind, withPlugin, type Project } from "../../../project/project-file.ts";
import { PROJECT_FILE } from "../../../project/project-root.ts";
import {
  findTarget,
  type ApiTarget,
  type AskedKind,
} from "../../../project/scaffold/api-target.ts";
import { moduleOf, variableOf } from "../../../project/scaffold/kind-names.ts";
import { scaffold } from "../../../project/scaffold/scaffold.ts";
import { digestsOf } from "../../../project/scaffold/scaffolded.ts";
import { neededOf } from "../../../project/webhooks/webhook-files.ts";
import type { Options, Run } from "../../../command.ts";
import type { createPlugin } from "./flags.ts";

type CreatePluginOptions = Options<typeof createPlugin>;

const EXAMPLE = "tsop create plugin webs --group web --version v1 --kind MyWeb";

/** Adds a plugin; returns the exit code. */
export const run: Run<typeof createPlugin> = async (name, options, context) => {
  checkPluginName(name);
  if (options.version !== undefined) checkVersion(options.version);
  if (options.kind !== undefined) checkKind(options.kind, false);
  return changeProject(context, options, async (project, draft) => {
    const target = await scaffoldPlugin(draft, project, name, options, context);
    const { kind, version } = target.resource;
    const group = apiGroupOf(project, target.resource);
    const named = paint(context).bold(`kubectl ${name}`);
    return {
      heading: `${named} of ${kind} ${apiVersionOf({ group, version })}`,
      next: [
        `edit src/plugins/${name}/plugin.ts, then`,
        "npx tsop manifests && npm test",
        `npx tsop build && PATH=$PWD/dist/plugins:$PATH kubectl ${name} list`,
      ],
    };
  });
};

async function scaffoldPlugin(
  draft: Draft,
  project: Project,
  name: string,
  options: CreatePluginOptions,
  context: CliContext,
): Promise<ApiTarget> {
  const { root } = project;
  const [{ findClasses }, { findSchemas }] = await Promise.all([
    import("../../../../generator/find-classes.ts"),
    import("../../../../generator/find-schemas.ts"),
  ]);
  const target = await findTarget(project, findClasses(root), askedKind(project, options));
  const schemas = target.resource.api ? findSchemas(root) : [];
  const needed = await neededOf(project, { ...target, schemas });
  const files = await scaffold({
    root,
    template: "create-plugin",
    values: { ...valuesOf(project, name, target), needed: needed ?? [] },
    wants: (path) => needed !== undefined || !path.startsWith("test/"),
    ifExists: options.force ? "overwrite" : "keep",
  });
  if (needed === undefined) {
    context.err(
      `${paint(context).yellow("note")} no test is scaffolded because tsop does not know the schema of this kind. \`tsop import\` its CRD to keep a copy of it.`,
    );
  }
  const known = project.plugins.find((one) => one.name === name);
  const digests = { ...known?.files, ...digestsOf(files) };
  for (const [path, text] of files) draft.set(path, text);
  draft.set(PACKAGE_FILE, withPrograms(await draft.require(PACKAGE_FILE), name));
  // Last, so that the file names a plugin only once its files are there.
  draft.set(PROJECT_FILE, withPlugin(project, { name, files: digests }));
  return target;
}

/** The kind that was asked for; the one that the project has, where it has one alone. */
function askedKind(project: Project, { group, version, kind }: CreatePluginOptions): AskedKind {
  const fits = project.resources.filter(
    (one) =>
      (kind === undefined || one.kind === kind) &&
      (group === undefined || one.group === group || apiGroupOf(project, one) === group) &&
      (version === undefined || one.version === version),
  );
  const [first] = fits;
  const latest = fits.at(-1);
  if (first && latest && fits.every((one) => isSameKind(one, first))) {
    const asked = {
      group: apiGroupOf(project, latest),
      version: latest.version,
      kind: latest.kind,
    };
    return { ...asked, purpose: "plugin" };
  }
  if (kind !== undefined && version !== undefined) {
    return { group: group ?? "", version, kind, purpose: "plugin" };
  }
  if (project.resources.length === 0) {
    throw new UsageError(
      "missing-kind",
      "The project does not have a kind for the plugin to show.",
      "Add one: tsop create api --group web --version v1 --kind MyWeb. Or name a built-in kind: --group apps --version v1 --kind Deployment",
    );
  }
  const there = project.resources.map(
    (one) => `--group ${one.group} --version ${one.version} --kind ${one.kind}`,
  );
  const missing = kind === undefined ? "kind" : "version";
  throw new UsageError(
    `missing-${missing}`,
    `--${missing} is missing: the project has ${there.join(", ")}.`,
    `For example: ${EXAMPLE}`,
  );
}

/** The values of the templates. */
function valuesOf(
  project: Project,
  name: string,
  { resource, token, file, namespaced }: ApiTarget,
): Record<string, unknown> {
  const { kind } = resource;
  const namespace = project.namespaced ? `${project.projectName}-system` : "default";
  return {
    plugin: name,
    program: programOf(name),
    kind,
    token,
    fromK8s: file === undefined,
    isEvent: file === undefined && token === "Event",
    module: moduleOf(file, `src/plugins/${name}`),
    testModule: moduleOf(file, "test"),
    variable: variableOf(kind),
    namespaced,
    key: `{ ${namespaced ? `namespace: "${namespace}", ` : ""}name: "one" }`,
    namespaceArgs: namespaced && namespace !== "default" ? `, "-n", "${namespace}"` : "",
  };
}
