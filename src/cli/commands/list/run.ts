/** `tsop list`: lists the contents of a project. */
import { join } from "node:path";
import { findClasses, type KindClass } from "../../../generator/find-classes.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { apiVersionOf, type ResourceInfo } from "../../../kube/resource.ts";
import type { CliContext } from "../../context.ts";
import { ExitCode, paint, printJson } from "../../output.ts";
import { builtInKinds } from "../../project/scaffold/built-in-kinds.ts";
import { defaultList } from "../../project/default-list.ts";
import { readIfThere } from "../../project/plan.ts";
import {
  apiGroupOf,
  getProject,
  type Project,
  type ProjectResource,
} from "../../project/project-file.ts";
import { parseUserYaml } from "../../project/yaml/user-yaml.ts";
import { present } from "../../../present.ts";
import type { Run } from "../../command.ts";
import type { list } from "./flags.ts";

/** A version of a kind, as it is shown. */
interface ListedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster" | "unknown";
  /** The owner of the definition: the project, somebody else, or Kubernetes. */
  readonly origin: "own" | "external" | "kubernetes";
  readonly controller: boolean;
  readonly webhooks: readonly string[];
  /** The file of its class; absent for kinds of Kubernetes. */
  readonly file?: string;
}

interface Listed {
  readonly projectName: string;
  readonly domain: string;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly certificates?: string;
  readonly images: readonly string[];
  readonly parts: readonly string[];
  readonly kinds: readonly ListedKind[];
  /** The plugins of kubectl, by the names that they are called with. */
  readonly plugins: readonly string[];
}

const MANAGER = "config/manager/manager.yaml";

export const run: Run<typeof list> = async (options, context) => {
  const project = await getProject(context.cwd);
  const classes = findClasses(project.root);
  const { root, projectName, domain, namespaced, certificates } = project;
  const listed: Listed = {
    projectName,
    domain,
    namespaced,
    namespace: `${projectName}-system`,
    ...present({ certificates }),
    images: await imagesOf(root),
    parts: await partsOf(root),
    kinds: await kindsOf(project, classes),
    plugins: project.plugins.map(({ name }) => name),
  };
  if (options.output === "json") printJson(context, listed);
  else print(listed, context);
  return ExitCode.ok;
};

/** The kinds of `PROJECT`, and classes that it does not name. */
async function kindsOf(project: Project, classes: readonly KindClass[]): Promise<ListedKind[]> {
  const classOf = (resource: ProjectResource): KindClass | undefined =>
    classes.find(
      (one) =>
        one.group === apiGroupOf(project, resource) &&
        one.version === resource.version &&
        one.kind === resource.kind,
    );
  const named = project.resources.map(async (resource): Promise<ListedKind> => {
    const found = classOf(resource);
    const builtIn = resource.core ? await builtInKinds(resource.kind) : [];
    return {
      apiVersion: apiVersionOf({ group: apiGroupOf(project, resource), version: resource.version }),
      kind: resource.kind,
      plural: resource.plural,
      scope: scopeOf(found ?? builtIn.find(({ group }) => group === resource.group)),
      origin: resource.core ? "kubernetes" : resource.external ? "external" : "own",
      controller: resource.controller,
      webhooks: webhooksOf(resource),
      ...(found && { file: found.file }),
    };
  });
  const known = new Set(project.resources.map(classOf));
  const others = classes
    .filter((one) => !known.has(one))
    .map((one): ListedKind => ({
      apiVersion: apiVersionOf(one),
      kind: one.kind,
      plural: one.plural,
      scope: scopeOf(one),
      origin: one.external ? "external" : "own",
      controller: false,
      webhooks: [],
      file: one.file,
    }));
  return [...(await Promise.all(named)), ...others];
}

const scopeOf = (found: ResourceInfo | undefined): ListedKind["scope"] =>
  found === undefined ? "unknown" : found.namespaced ? "Namespaced" : "Cluster";

function webhooksOf({ webhooks = {} }: ProjectResource): string[] {
  const { defaulting, validation, spokes = [] } = webhooks;
  return [
    ...(defaulting ? ["defaulting"] : []),
    ...(validation ? ["validation"] : []),
    ...(spokes.length > 0 ? [`conversion of ${spokes.join(", ")}`] : []),
  ];
}

/** The images in the scaffolded Deployment; `tsop deploy --image` puts another one in. */
async function imagesOf(root: string): Promise<string[]> {
  const text = (await readIfThere(join(root, MANAGER))) ?? "";
  return [...text.matchAll(/^\s*image:\s*["']?([^\s"'#]+)/gm)].map(([, image = ""]) => image);
}

/** The parts that `config/default` puts together. */
async function partsOf(root: string): Promise<string[]> {
  const text = await readIfThere(join(root, defaultList));
  if (text === undefined) return [];
  const { value } = parseUserYaml(defaultList, text, "broken-yaml");
  if (!isJsonObject(value)) return [];
  return [value["resources"], value["components"]]
    .flatMap((entries): unknown[] => (Array.isArray(entries) ? entries : []))
    .map((entry) => String(entry).replace(/^(?:\.\.\/)+/, ""));
}

function print(listed: Listed, context: CliContext): void {
  const { bold, dim } = paint(context);
  const {
    projectName,
    domain,
    namespaced,
    namespace,
    certificates,
    images,
    parts,
    kinds,
    plugins,
  } = listed;
  context.out(`${bold(projectName)} ${domain}`);
  context.out(
    `  watches      ${namespaced ? `its own namespace, ${namespace}` : "all namespaces"}`,
  );
  context.out(`  image        ${images.join(", ") || dim("none in config/manager")}`);
  context.out(`  certificates ${certificates ?? dim("none: no webhooks")}`);
  context.out(`  deployed     ${parts.join(", ")}`);
  if (plugins.length > 0) {
    context.out(`  plugins      ${plugins.map((name) => `kubectl ${name}`).join(", ")}`);
  }
  if (kinds.length === 0) {
    context.out(
      `  kinds        ${dim("none yet: tsop create api --group web --version v1 --kind MyWeb")}`,
    );
    return;
  }
  const rows = kinds.map(({ kind, apiVersion, scope, origin, controller, webhooks }) => [
    kind,
    apiVersion,
    scope,
    origin,
    controller ? "yes" : "-",
    webhooks.join("; ") || "-",
  ]);
  const head = ["KIND", "VERSION", "SCOPE", "WHOSE", "CONTROLLER", "WEBHOOKS"];
  const widths = head.map((_one, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [head, ...rows]) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ");
    context.out((row === head ? dim : String)(line.trimEnd()));
  }
}
