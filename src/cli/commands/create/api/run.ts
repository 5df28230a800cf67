/** `tsop create api`: adds a kind to the project. */
import { UsageError } from "../../../../errors.ts";
import type { KindClass } from "../../../../generator/find-classes.ts";
import { pluralOf } from "../../../../kube/plural.ts";
import { apiVersionOf } from "../../../../kube/resource.ts";
import type { CliContext } from "../../../context.ts";
import { paint } from "../../../output.ts";
import { type ApiTarget, findTarget } from "../../../project/scaffold/api-target.ts";
import { changeProject } from "../../../project/change-project.ts";
import type { Draft } from "../../../project/draft.ts";
import { defaultList, withCrds } from "../../../project/default-list.ts";
import { parseFields, type SpecField } from "../../../project/scaffold/field.ts";
import {
  checkGroup,
  checkImage,
  checkKind,
  checkPlural,
  checkVersion,
  missingFlags,
} from "../../../project/inputs.ts";
import { classValues } from "../../../project/scaffold/kind-class.ts";
import {
  firstWord,
  moduleOf,
  namesOf,
  variableOf,
  type KindNames,
} from "../../../project/scaffold/kind-names.ts";
import { wire } from "../../../project/sources/wiring.ts";
import { neededLines } from "../../../project/scaffold/needed-fields.ts";
import {
  apiGroupOf,
  isSameKind,
  isSameResource,
  withResource,
  type Project,
  type ProjectResource,
} from "../../../project/project-file.ts";
import { PROJECT_FILE } from "../../../project/project-root.ts";
import { ask } from "../../../project/ask.ts";
import { renderTemplates, scaffold } from "../../../project/scaffold/scaffold.ts";
import { digestsOf, withFreshDigests } from "../../../project/scaffold/scaffolded.ts";
import { SAMPLES_LIST, samplesWith } from "../../../project/samples.ts";
import { chooseStorage } from "../../../project/webhooks/storage-version.ts";
import { setUpOfController } from "../../../project/webhooks/webhook-files.ts";
import type { Options, Run } from "../../../command.ts";
import type { createApi } from "./flags.ts";

type KindScope = "Namespaced" | "Cluster";

type CreateApiOptions = Options<typeof createApi>;

/** The reason why a controller comes without a test. */
const NO_TEST =
  "the schema of this kind is not known here; `tsop import` of its CRD keeps a copy of it.";

/** The field of a scaffolded spec when no `--field` says otherwise. */
const EXAMPLE_FIELD = "message:string=hello";

/** Adds a kind; returns the exit code. */
export const run: Run<typeof createApi> = async (options, context) => {
  checkFlags(options);
  if (!context.interactive && (options.version === undefined || options.kind === undefined)) {
    throw missingFlags(options, "tsop create api --group web --version v1 --kind MyWeb");
  }
  const version = options.version ?? (await askFor("version", "v1", context));
  const kind = options.kind ?? (await askFor("kind", "MyWeb", context));
  checkVersion(version);
  checkKind(kind, options.resource);
  const fields = parseFields(fieldsOf(options));
  return changeProject(context, options, async (project, draft) => {
    const { findClasses } = await import("../../../../generator/find-classes.ts");
    const classes = findClasses(project.root);
    const asked = { ...options, version, kind };
    const target = options.resource
      ? ownTarget(project, classes, asked)
      : await findTarget(project, classes, { ...asked, purpose: "controller" });
    await scaffoldKind(draft, project, target, { fields, classes, options }, context);
    const group = apiGroupOf(project, target.resource);
    const isEdited = options.resource && target.file !== undefined;
    return {
      heading: `${paint(context).bold(kind)} ${apiVersionOf({ group, version })}`,
      next: [
        ...(isEdited ? [`edit ${target.file}, then`] : []),
        "npx tsop manifests && npm test",
        "npx tsop dev",
      ],
    };
  });
};

/** The fields of the spec as `--field` says them. */
function fieldsOf({ field, image }: CreateApiOptions): readonly string[] {
  if (image !== undefined) return [`image:string=${image}`, "replicas:int=1", ...field];
  return field.length > 0 ? field : [EXAMPLE_FIELD];
}

async function askFor(
  name: "version" | "kind",
  example: string,
  context: CliContext,
): Promise<string> {
  context.doing(undefined);
  return ask(`--${name}, such as ${example}:`, "");
}

/** @throws UsageError for flags that contradict each other */
function checkFlags(options: CreateApiOptions): void {
  const { resource, controller, externalApiDomain, externalApiPath, externalApiModule } = options;
  if (!resource && !controller) {
    throw new UsageError(
      "nothing-to-create",
      "--no-resource and --no-controller together leave nothing to create.",
      "Omit one of them.",
    );
  }
  if (options.image !== undefined) {
    checkImage(options.image);
    if (!resource || !controller || options.kind === "Deployment") {
      throw new UsageError(
        "image-without-kind",
        "--image scaffolds a kind and a controller that creates a Deployment.",
        "Leave --no-resource and --no-controller out, and give the kind another name than Deployment.",
      );
    }
    if (scopeOf(options) === "Cluster") {
      throw new UsageError(
        "image-of-cluster-kind",
        "--image needs a namespaced kind: the controller creates a Deployment in the object's namespace.",
        "Omit --scope Cluster, or omit --image and write the controller.",
      );
    }
  }
  if (!resource && scopeOf(options) !== undefined) {
    throw new UsageError(
      "scope-of-others",
      "--scope cannot be combined with --no-resource: the kind already exists.",
      "Omit --scope.",
    );
  }
  if (externalApiModule !== undefined) {
    throw new UsageError(
      "no-external-api-module",
      "--external-api-module is not supported: classes of external kinds are files in your project.",
      "Generate them from the CRDs with `npx tsop import`, then scaffold the controller with --no-resource.",
    );
  }
  if (!resource || (externalApiDomain ?? externalApiPath) === undefined) return;
  throw new UsageError(
    "external-with-resource",
    "The --external-api flags need --no-resource; without it, tsop scaffolds a CRD of your own.",
    "Add --no-resource, or omit the --external-api flags.",
  );
}

/** The scope that the flags ask for. */
function scopeOf({ scope, namespaced }: CreateApiOptions): KindScope | undefined {
  if (scope !== undefined || namespaced === undefined) return scope;
  return namespaced === "false" ? "Cluster" : "Namespaced";
}

/** A kind of the project's own, whose class is there or is scaffolded. */
function ownTarget(
  project: Project,
  classes: readonly KindClass[],
  options: CreateApiOptions & NamedKind,
): ApiTarget {
  const { group, version, kind, plural = pluralOf(kind), controller } = options;
  const resource = ownResource(project, { group, version, kind, plural }, controller);
  const apiGroup = apiGroupOf(project, resource);
  const isIt = (known: KindClass): boolean =>
    known.group === apiGroup && known.version === version && known.kind === kind;
  const found = classes.find(isIt);
  if (found?.external) {
    throw new UsageError(
      "kind-exists",
      `${found.file} declares that the CRD of ${kind} in ${apiGroup} is external.`,
      `Scaffold its controller with --no-resource, or remove external: true from ${found.file}.`,
    );
  }
  const usual = `src/api/${version}/${kind.toLowerCase()}.ts`;
  const isTaken = classes.some((known) => known.file === usual && known.group !== apiGroup);
  const beside = usual.replace(/\.ts$/, `-${firstWord(apiGroup)}.ts`);
  const file = found?.file ?? (isTaken ? beside : usual);
  const versions = classes.filter((known) => known.group === apiGroup && known.kind === kind);
  const namespaced = isNamespaced(found ?? versions[0], scopeOf(options));
  return { resource, token: found?.className ?? kind, file, namespaced };
}

/** @throws UsageError `bad-scope` where another version of the kind says something else */
function isNamespaced(known: KindClass | undefined, asked: KindScope | undefined): boolean {
  const namespaced = known?.namespaced ?? asked !== "Cluster";
  if (!known || asked === undefined || namespaced === (asked === "Namespaced")) return namespaced;
  const scope = namespaced ? "Namespaced" : "Cluster";
  throw new UsageError(
    "bad-scope",
    `${known.kind} has the scope ${scope} in ${known.file}: all versions of a kind share it, and it cannot change while a cluster has the CRD.`,
    `Omit --scope, or use --scope ${scope}.`,
  );
}

/** A version and a kind, asked for by now. */
interface NamedKind {
  readonly version: string;
  readonly kind: string;
}

function ownResource(
  project: Project,
  named: Pick<ProjectResource, "group" | "version" | "kind" | "plural">,
  controller: boolean,
): ProjectResource {
  const { group } = named;
  if (group === project.domain || group.endsWith(`.${project.domain}`)) {
    throw new UsageError(
      "bad-group",
      `--group ${JSON.stringify(group)}: the domain ${project.domain} is added to it, as ${apiGroupOf(project, { group })}.`,
      `For example: --group ${group.slice(0, -project.domain.length - 1) || '""'}`,
    );
  }
  checkGroup(group, project.domain);
  checkPlural(named.plural, apiGroupOf(project, { group }));
  const clash = project.resources.find(
    (known) =>
      known.kind.toLowerCase() === named.kind.toLowerCase() &&
      known.group === group &&
      known.domain === undefined &&
      known.kind !== named.kind,
  );
  if (clash) {
    throw new UsageError(
      "kind-exists",
      `The project already has the kind ${clash.kind}, in the group ${apiGroupOf(project, clash)}.`,
      `Pick another --kind, or add a version to it: tsop create api --group ${clash.group} --kind ${clash.kind} --version v2`,
    );
  }
  const siblings = project.resources.filter((known) => isSameKind(known, named));
  const otherPlural = siblings.find((known) => known.plural !== named.plural);
  if (otherPlural) {
    throw new UsageError(
      "bad-plural",
      `${named.kind} has the plural ${otherPlural.plural} in ${otherPlural.version}: all versions of a kind share it.`,
      `For example: --plural ${otherPlural.plural}`,
    );
  }
  // A further version of a kind is served by the controller that is there.
  const controlled = siblings.some((known) => known.controller && known.version !== named.version);
  const known = siblings.find(({ version }) => version === named.version);
  return {
    ...named,
    api: true,
    controller: known?.controller === true || (controller && !controlled),
  };
}

/** The input of the scaffolded files. */
interface Scaffolding {
  readonly fields: readonly SpecField[];
  readonly classes: readonly KindClass[];
  readonly options: CreateApiOptions;
}

async function scaffoldKind(
  draft: Draft,
  project: Project,
  target: ApiTarget,
  { fields, classes, options }: Scaffolding,
  context: CliContext,
): Promise<void> {
  const { resource, file } = target;
  const api = options.resource;
  const controller = options.controller && resource.controller;
  const names = namesOf(project, resource);
  const needed = resource.api ? [] : await neededLines(project, target);
  const values = {
    ...valuesOf(project, target, names),
    ...(resource.api &&
      classValues(project, resource, {
        fields,
        userRoles: options.userRoles,
        namespaced: target.namespaced,
      })),
    needed,
    rbac: project.rbac === "markers",
    imageLiteral: JSON.stringify(options.image ?? ""),
  };
  const wants = (path: string): boolean => {
    if (path.startsWith("test/")) return controller && needed !== undefined;
    if (path.startsWith("src/controllers/")) return controller;
    // A class that is somewhere else stays there.
    return api && (!path.startsWith("src/api/") || path === file);
  };
  const { root } = project;
  const files = await scaffold({
    root,
    template: resource.api ? "create-api" : "create-controller",
    values,
    wants,
    ...(options.image !== undefined && {
      beside: await renderTemplates({ root, template: "create-image", values, wants }),
    }),
    ifExists: options.force ? "overwrite" : "keep",
  });
  const digests = digestsOf(files);
  for (const [path, text] of files) draft.set(path, text);
  if (controller && needed === undefined) {
    const { yellow } = paint(context);
    context.err(`${yellow("note")} no test is scaffolded: ${NO_TEST}`);
  }
  if (controller) await wire(draft, [setUpOfController(names)], `${project.projectName}-`);
  if (api) {
    draft.set(defaultList, withCrds(await draft.require(defaultList)));
    draft.set(SAMPLES_LIST, await samplesWith(project.root, `${values.sampleFile}.yaml`));
  }
  const storage =
    api && file !== undefined
      ? await chooseStorage(draft, project, { resource, file }, classes)
      : undefined;
  const known = project.resources.find((one) => isSameResource(one, resource));
  const text = withResource(project, {
    ...known,
    ...resource,
    // A kind of an earlier tsop, which kept no digests, goes on without.
    ...((!known || known.files) && { files: { ...known?.files, ...digests } }),
    ...(storage && !known?.storageBefore && { storageBefore: storage }),
  });
  // Last, so that the file names a kind only once its files are there.
  draft.set(PROJECT_FILE, await withFreshDigests(project, text, draft.files));
}

/** The values that both templates share. */
function valuesOf(
  project: Project,
  { resource, token, file, namespaced }: ApiTarget,
  { stem, name }: KindNames,
): Record<string, unknown> & { sampleFile: string } {
  const { kind, version, group } = resource;
  const namespace = project.namespaced ? `${project.projectName}-system` : "default";
  return {
    kind,
    token,
    name,
    file: stem,
    module: moduleOf(file, "src/controllers"),
    testModule: moduleOf(file, "test"),
    classFile: file?.replace(/^src\/api\//, "").replace(/\.ts$/, "") ?? "",
    variable: variableOf(kind),
    projectName: project.projectName,
    namespaced: project.namespaced,
    namespace,
    key: `{ ${namespaced ? `namespace: "${namespace}", ` : ""}name: "one" }`,
    named: name === kind ? "" : `.named("${stem}")`,
    inNamespace: project.namespaced && namespaced,
    scope: project.namespaced && namespaced ? ', { namespace: "system" }' : "",
    sampleFile: [group, version, kind.toLowerCase()].filter((part) => part !== "").join("_"),
  };
}
