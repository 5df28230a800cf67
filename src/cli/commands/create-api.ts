/**
 * `tsop create api`: a kind joins the project.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { UsageError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { parseFields, type SpecField } from "../project/field.ts";
import { defaultList, withCrds } from "../project/crd-list.ts";
import { pluralOf } from "../../kube/plural.ts";
import { withStorage } from "../project/kind-file.ts";
import { checkGroup, checkKind, checkPlural, checkVersion } from "../project/inputs.ts";
import { withController } from "../project/main-file.ts";
import { paint } from "../output.ts";
import { carryOut, planFiles, readIfThere, type PlanOptions } from "../project/plan.ts";
import {
  apiGroupOf,
  getProject,
  isSameKind,
  isSameResource,
  parseProject,
  withResource,
  type Project,
  type ProjectResource,
} from "../project/project-file.ts";
import { PROJECT_FILE } from "../project/project-root.ts";
import { ask, scaffold } from "../project/scaffold.ts";
import { articleOf, listed } from "../project/source-line.ts";
import { withListEntry } from "../project/user-yaml.ts";

/** The flags of `tsop create api`. */
export interface CreateApiOptions extends PlanOptions {
  readonly group: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  /** Roles for the kind's users; `aggregated` adds them to the cluster's own. */
  readonly userRoles: "separate" | "aggregated" | "none";
  readonly field: readonly string[];
  readonly controller: boolean;
  readonly resource: boolean;
  readonly force: boolean;
}

/** What a scaffolded spec has when no `--field` says otherwise. */
const EXAMPLE_FIELD = "message:string=hello";

const SAMPLES = "config/samples";
const SAMPLES_LIST = `${SAMPLES}/kustomization.yaml`;
/** The list before the first sample. */
const NO_SAMPLES = `# All samples at once: \`kubectl apply -k config/samples\`.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
`;

const RESERVED_WORDS = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends " +
    "false finally for function if implements import in instanceof interface let new null package " +
    "private protected public return static super switch this throw true try typeof var void while " +
    "with yield arguments eval client key nowMs"
  ).split(" "),
);

/** Adds a kind; returns the exit code. */
export async function createApi(options: CreateApiOptions, context: CliContext): Promise<number> {
  const project = await getProject(context.cwd);
  const version = options.version ?? (await askFor("version", "v1", context));
  const kind = options.kind ?? (await askFor("kind", "MyWeb", context));
  checkVersion(version);
  checkKind(kind);
  checkGroup(options.group, project.domain);
  const plural = options.plural ?? pluralOf(kind);
  checkPlural(plural, apiGroupOf(project, options.group));
  const fields = parseFields(options.field.length > 0 ? options.field : [EXAMPLE_FIELD]);
  if (!options.resource && !options.controller) {
    throw new UsageError(
      "nothing-to-create",
      "--no-resource and --no-controller together leave nothing to create.",
      "Leave one of them out.",
    );
  }
  const resource = resourceFor(project, options, { version, kind, plural });
  if (!options.resource) await checkClass(project, resource);
  const files = await filesFor(project, resource, fields, options, context);
  const { bold, green } = paint(context);
  context.out(`${bold(kind)} ${apiGroupOf(project, options.group)}/${version}`);
  const plan = await planFiles(project.root, files);
  context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
  await carryOut(plan, context, options);
  if (!options.dryRun && plan.changes.length > 0) {
    context.out(`${green("done")} Next:`);
    if (options.resource) context.out(`  edit ${typesFileOf(version, kind)}, then`);
    context.out("  npx tsop manifests && npm test");
    context.out("  npx tsop dev");
  }
  return 0;
}

async function askFor(
  name: "version" | "kind",
  example: string,
  context: CliContext,
): Promise<string> {
  if (context.interactive) return ask(`--${name}, such as ${example}:`, "");
  throw new UsageError(
    `missing-${name}`,
    `--${name} is missing.`,
    "For example: tsop create api --group web --version v1 --kind MyWeb",
  );
}

/** A controller alone is for a class that is there: without it, nothing would compile. */
async function checkClass(
  project: Project,
  { version, kind }: Pick<ProjectResource, "version" | "kind">,
): Promise<void> {
  const path = typesFileOf(version, kind);
  if ((await readIfThere(join(project.root, path))) !== undefined) return;
  throw new UsageError(
    "no-class",
    `--no-resource scaffolds the controller of a class that is there, but there is no ${path}.`,
    "Leave --no-resource out to scaffold the class too, or write the class first.",
  );
}

function resourceFor(
  project: Project,
  options: CreateApiOptions,
  named: Pick<ProjectResource, "version" | "kind" | "plural">,
): ProjectResource {
  const { group } = options;
  const clash = project.resources.find(
    (known) =>
      known.kind.toLowerCase() === named.kind.toLowerCase() &&
      (known.group !== group || known.kind !== named.kind),
  );
  if (clash) {
    throw new UsageError(
      "kind-exists",
      `The project already has the kind ${clash.kind}, in the group ${apiGroupOf(project, clash.group)}.`,
      `Pick another --kind, or add a version to it: tsop create api --group ${clash.group} --kind ${clash.kind} --version v2`,
    );
  }
  const siblings = project.resources.filter((known) => isSameKind(known, { group, ...named }));
  const otherPlural = siblings.find((known) => known.plural !== named.plural);
  if (otherPlural) {
    throw new UsageError(
      "bad-plural",
      `${named.kind} has the plural ${otherPlural.plural} in ${otherPlural.version}: all versions of a kind share it.`,
      `For example: --plural ${otherPlural.plural}`,
    );
  }
  const known = project.resources.find((one) => isSameResource(one, { group, ...named }));
  // A further version of a kind is served by the controller that is there.
  const controlled = siblings.some(
    (sibling) => sibling.controller && sibling.version !== named.version,
  );
  return {
    group,
    ...named,
    api: options.resource || known?.api === true,
    controller: known?.controller === true || (options.controller && !controlled),
  };
}

async function filesFor(
  project: Project,
  resource: ProjectResource,
  fields: readonly SpecField[],
  options: CreateApiOptions,
  context: CliContext,
): Promise<Map<string, string>> {
  const { kind, version, group, plural } = resource;
  const file = kind.toLowerCase();
  const apiGroup = apiGroupOf(project, group);
  const api = options.resource;
  const controller = options.controller && resource.controller;
  const sampleFile = [group, version, file].filter((part) => part !== "").join("_");
  const files = await scaffold(
    {
      root: project.root,
      template: "create-api",
      values: {
        kind,
        a: articleOf(kind),
        A: articleOf(kind) === "a" ? "A" : "An",
        version,
        plural,
        apiGroup,
        file,
        variable: variableOf(kind),
        projectName: project.projectName,
        namespaced: project.namespaced,
        namespace: project.namespaced ? "system" : "default",
        sampleFile,
        sample: sampleOf(kind, `${apiGroup}/${version}`, fields),
        spec: specOf(fields),
        printColumns: [readyColumnOf(kind), ageColumnOf(kind)],
        resource: resourceOf(apiGroup, version, plural, options.userRoles),
        imports: listed("import {", importsOf(fields), '} from "tsop";'),
        fields: fields.map((field) => ({ ...field, declaration: declarationOf(field) })),
      },
      wants: (path) =>
        path.startsWith("src/controllers/") || path.startsWith("test/") ? controller : api,
      ifExists: options.force ? "overwrite" : "keep",
    },
    context,
  );
  if (controller) {
    const text = await getFile(project, "src/main.ts");
    const call = { setUp: `setUp${kind}`, from: `./controllers/${file}-controller.ts` };
    files.set("src/main.ts", withController(text, call));
  }
  if (api) {
    files.set(defaultList, withCrds(await getFile(project, defaultList)));
    files.set(SAMPLES_LIST, await samplesWith(project, `${sampleFile}.yaml`));
  }
  const projectText = withResource(project, resource);
  if (api) await chooseStorage(parseProject(project.root, projectText), resource, files);
  // Last, so that the file names a kind only once its files are there.
  files.set(PROJECT_FILE, projectText);
  return files;
}

/** The list of samples with one more; those that were there before the list are in it too. */
async function samplesWith({ root }: Project, sample: string): Promise<string> {
  const text = await readIfThere(join(root, SAMPLES_LIST));
  const names = text === undefined ? await readdir(join(root, SAMPLES)).catch(() => []) : [];
  const samples = names.filter(
    (name) => /\.ya?ml$/.test(name) && !name.startsWith("kustomization."),
  );
  return [...samples.sort(), sample].reduce(
    (list, name) => withListEntry(SAMPLES_LIST, list, "resources", name),
    text ?? NO_SAMPLES,
  );
}

/** Of several versions, one has to be the one that is stored: the first, unless the user chose. */
async function chooseStorage(
  project: Project,
  resource: ProjectResource,
  files: Map<string, string>,
): Promise<void> {
  const versions = project.resources.filter((known) => isSameKind(known, resource) && known.api);
  const paths = versions.map(({ version }) => typesFileOf(version, resource.kind));
  if (paths.length < 2) return;
  const texts = await Promise.all(
    paths.map(async (path) => files.get(path) ?? (await getFile(project, path))),
  );
  const [first] = paths;
  const text = withStorage(texts, resource.kind);
  if (first !== undefined && text !== undefined) files.set(first, text);
}

async function getFile(project: Project, path: string): Promise<string> {
  const text = await readIfThere(join(project.root, path));
  if (text !== undefined) return text;
  throw new UsageError(
    "file-missing",
    `${path} is not there, and the kind has to be added to it.`,
    "Restore it from version control; nothing was written.",
  );
}

function typesFileOf(version: string, kind: string): string {
  return `src/api/${version}/${kind.toLowerCase()}.ts`;
}

function declarationOf({ name, type, optional, initializer }: SpecField): string {
  if (initializer !== undefined) return `${name}: ${type} = ${initializer};`;
  return `${name}${optional ? "?" : "!"}: ${type};`;
}

function importsOf(fields: readonly SpecField[]): string[] {
  const types = new Set(["Condition", "Int64", ...fields.flatMap((field) => field.imports)]);
  return [
    "CustomResource",
    "ListMap",
    "PrintColumn",
    "Resource",
    ...[...types].sort().map((name) => `type ${name}`),
  ];
}

/** The line of the test that says the spec. */
function specOf(fields: readonly SpecField[]): string {
  const entries = fields.map(({ name, sample }) => `${name}: ${JSON.stringify(sample)}`);
  return listed("spec: {", entries, "},", "      ");
}

/** What the class says of itself. */
function resourceOf(
  group: string,
  version: string,
  plural: string,
  userRoles: CreateApiOptions["userRoles"],
): string {
  const roles = userRoles === "none" ? {} : { userRoles };
  const options = Object.entries({ group, version, plural, ...roles });
  const lines = options.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return listed("@Resource({", lines, "})");
}

/** A kind with columns of its own has no other, so that the age that kubectl shows of all is one of them. */
function ageColumnOf(kind: string): string {
  const variable = variableOf(kind);
  const path = `(${variable}: ${kind}) => ${variable}.metadata.creationTimestamp`;
  return listed("@PrintColumn(", ['"Age"', path], ")");
}

function readyColumnOf(kind: string): string {
  const variable = variableOf(kind);
  const path = `${variable}.status?.conditions?.find((c) => c.type === "Ready")?.status`;
  return listed("@PrintColumn(", ['"Ready"', `(${variable}: ${kind}) => ${path}`], ")");
}

function sampleOf(kind: string, apiVersion: string, fields: readonly SpecField[]): string {
  const spec = Object.fromEntries(fields.map(({ name, sample }) => [name, sample]));
  const metadata = { name: `${kind.toLowerCase()}-sample` };
  // kubectl reads YAML 1.1, where a key such as `on` has to be quoted.
  return stringify({ apiVersion, kind, metadata, spec }, { compat: "yaml-1.1" }).trimEnd();
}

/** `MyWeb` as a variable, `myWeb`; what JavaScript or the template says already is avoided. */
function variableOf(kind: string): string {
  const name = kind.replace(/^([A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z])/, (capitals) =>
    capitals.toLowerCase(),
  );
  return RESERVED_WORDS.has(name) ? `${name}Object` : name;
}
