/** The classes of webhooks and their tests, from templates. */
import { capitalized } from "../../../kube/text/capitalized.ts";
import { UsageError } from "../../../errors.ts";
import type { KindClass } from "../../../generator/find-classes.ts";
import type { KindSchema } from "../../../generator/find-schemas.ts";
import type { Schema } from "../../../kube/schema/structural.ts";
import { webhookNameOf } from "../../../kube/webhooks/webhook-marks.ts";
import type { ApiTarget } from "../scaffold/api-target.ts";
import { conversionBody } from "./conversion-body.ts";
import { moduleOf, namesOf, variableOf, type KindNames } from "../scaffold/kind-names.ts";
import type { Wired } from "../sources/wiring.ts";
import { minimalObject } from "../scaffold/minimal-object.ts";
import { linesOf, neededLines } from "../scaffold/needed-fields.ts";
import { apiGroupOf, type Project } from "../project-file.ts";
import { scaffold } from "../scaffold/scaffold.ts";
import { articleOf } from "../scaffold/source-line.ts";

/** A kind that webhooks are scaffolded for, and what is known of the project's kinds. */
export interface WebhookTarget extends ApiTarget {
  readonly classes: readonly KindClass[];
  readonly schemas: readonly KindSchema[];
}

/** The sorts of webhooks that a class answers. */
export type AdmissionSort = "defaulter" | "validator";

/** Scaffolded files, and the classes that answer webhooks. */
export interface WebhookFiles {
  readonly files: Map<string, string>;
  readonly wired: readonly Wired[];
}

const FOLDER = "src/webhooks";

/** The files of defaulter and validator. */
export async function admissionFiles(
  project: Project,
  target: WebhookTarget,
  sorts: readonly AdmissionSort[],
  options: { readonly force: boolean },
): Promise<WebhookFiles> {
  if (sorts.length === 0) return { files: new Map(), wired: [] };
  const names = namesOf(project, target.resource);
  const needed = await neededOf(project, target);
  const files = await scaffold({
    root: project.root,
    template: "create-webhook",
    values: { ...valuesOf(project, target, names), needed: needed ?? [] },
    wants: (path) => {
      if (path.startsWith("test/") && needed === undefined) return false;
      return sorts.some((sort) => path.includes(`-${sort}.`));
    },
    ifExists: options.force ? "overwrite" : "keep",
  });
  return { files, wired: sorts.map((sort) => admissionClass(names, sort)) };
}

/** The files of the converter between a kind, the hub, and one of its other versions. */
export async function conversionFiles(
  project: Project,
  hub: WebhookTarget,
  spokeVersion: string,
  options: { readonly force: boolean },
): Promise<WebhookFiles> {
  const { resource, token, file = "" } = hub;
  const { kind, version } = resource;
  const spoke = spokeOf(project, hub, spokeVersion);
  const names = namesOf(project, resource);
  const suffix = capitalized(spokeVersion);
  const local = spoke.className === token ? `${token}${suffix}` : spoke.className;
  const imported = spoke.className === local ? local : `${spoke.className} as ${local}`;
  const importsFrom = (folder: string): string =>
    [
      `import { ${token} } from "${moduleOf(file, folder)}";`,
      `import { ${imported} } from "${moduleOf(spoke.file, folder)}";`,
    ].join("\n");
  const hubSchema = schemaOf(project, hub, version);
  const spokeSchema = schemaOf(project, hub, spokeVersion);
  const toHub = conversionBody(spokeSchema, hubSchema, { version: spokeVersion, type: local });
  const fromHub = conversionBody(hubSchema, spokeSchema, { version, type: token });
  const values = {
    ...valuesOf(project, hub, names),
    hub: token,
    spoke: local,
    hubVersion: version,
    spokeVersion,
    SpokeVersion: suffix,
    imports: importsFrom(FOLDER),
    testImports: importsFrom("test"),
    toHub,
    fromHub,
    reads: toHub.parameter !== "" || fromHub.parameter !== "",
    needed: linesOf(minimalObject(spokeSchema, { withDefaults: true })),
    hasSpec: spokeSchema.properties?.["spec"] !== undefined,
    kind,
  };
  const request = { root: project.root, template: "create-conversion", values };
  const files = await scaffold({ ...request, ifExists: options.force ? "overwrite" : "keep" });
  return { files, wired: [conversionClass(names, spokeVersion)] };
}

/** The class that defaults or validates a kind. */
const admissionClass = ({ name, stem }: KindNames, sort: AdmissionSort): Wired => ({
  sort: "webhooks",
  name: `${name}${capitalized(sort)}`,
  file: `${FOLDER}/${stem}-${sort}.ts`,
});

/** The class that converts a spoke. */
export const conversionClass = ({ name, stem }: KindNames, version: string): Wired => ({
  sort: "webhooks",
  name: `${name}${capitalized(version)}Conversion`,
  file: `${FOLDER}/${stem}-${version}-conversion.ts`,
});

/** All that commands handed to the manager for the kinds of a project. */
export function wiredOf(project: Project): Wired[] {
  return project.resources.flatMap((resource) => {
    const names = namesOf(project, resource);
    const { controller, webhooks } = resource;
    return [
      ...(controller ? [setUpOfController(names)] : []),
      ...(webhooks?.defaulting ? [admissionClass(names, "defaulter")] : []),
      ...(webhooks?.validation ? [admissionClass(names, "validator")] : []),
      ...(webhooks?.spokes ?? []).map((spoke) => conversionClass(names, spoke)),
    ];
  });
}

/** The function that sets up the controller of a kind. */
export const setUpOfController = ({ name, stem }: KindNames): Wired => ({
  sort: "controllers",
  name: `setUp${name}`,
  file: `src/controllers/${stem}-controller.ts`,
});

/** The class of another version. @throws UsageError `bad-spoke` */
export function spokeOf(
  project: Project,
  { resource, classes }: WebhookTarget,
  version: string,
): KindClass {
  const group = apiGroupOf(project, resource);
  const found = classes.find(
    (known) => known.group === group && known.kind === resource.kind && known.version === version,
  );
  if (found && version !== resource.version) return found;
  const own = found ? "is the hub itself" : `has no class in ${group}/${version}`;
  throw new UsageError(
    "bad-spoke",
    `--spoke ${version}: ${resource.kind} ${own}.`,
    found
      ? "Name the other versions, such as --spoke v1alpha1; the hub is --version."
      : `Scaffold it first: \`tsop create api --group ${resource.group} --version ${version} --kind ${resource.kind}\``,
  );
}

function schemaOf(
  project: Project,
  { resource, schemas }: Pick<WebhookTarget, "resource" | "schemas">,
  version: string,
): Schema {
  const group = apiGroupOf(project, resource);
  const found = schemas.find(
    (known) => known.group === group && known.kind === resource.kind && known.version === version,
  );
  return found?.schema ?? {};
}

/** The fields that an object has to have; `undefined` where they are not known. */
export async function neededOf(
  project: Project,
  target: ApiTarget & Pick<WebhookTarget, "schemas">,
): Promise<readonly string[] | undefined> {
  const { resource } = target;
  if (!resource.api) return neededLines(project, target);
  return linesOf(
    minimalObject(schemaOf(project, target, resource.version), { withDefaults: true }),
  );
}

/** The values of the templates. */
function valuesOf(
  project: Project,
  target: ApiTarget,
  { stem, name }: KindNames,
): Record<string, unknown> {
  const { resource, token, file, namespaced } = target;
  const { projectName, domain } = project;
  const { kind } = resource;
  const namespace = project.namespaced ? `${projectName}-system` : "default";
  const inNamespace = namespaced ? `namespace: "${namespace}", ` : "";
  /** The usual name is that of a kind of the same name in another group. */
  const nameLine = (mutating: boolean): string =>
    stem === kind.toLowerCase()
      ? ""
      : `  name: "${webhookNameOf(mutating, { ...resource, kind: stem })}",\n`;
  return {
    kind,
    token,
    name,
    file: stem,
    module: moduleOf(file, FOLDER),
    testModule: moduleOf(file, "test"),
    variable: variableOf(kind),
    a: articleOf(kind),
    own: resource.api,
    projectName,
    key: `{ ${inNamespace}name: "one" }`,
    longKey: `{ ${inNamespace}name: "a".repeat(53) }`,
    keyNamespace: namespaced ? namespace : "",
    labelKey: resource.api ? "app.kubernetes.io/part-of" : `${projectName}.${domain}/seen`,
    labelValue: resource.api ? projectName : "true",
    refusedKey: `${projectName}.${domain}/refused`,
    defaulterOptions: `${nameLine(true)}${optionsOf(project, target, "stores it without the defaults")}`,
    validatorOptions: `${nameLine(false)}${optionsOf(project, target, "stores it unchecked")}`,
  };
}

/** The options of a marker: when it is asked, and what happens while nobody answers. */
function optionsOf(
  project: Project,
  { resource, namespaced }: ApiTarget,
  otherwise: string,
): string {
  const isOthers = resource.core === true || resource.external === true;
  const policy = isOthers ? "Ignore" : "Fail";
  const own = `${project.projectName}-system`;
  const why = isOthers
    ? `  // Others' objects must not wait for this operator. While none answers: "Ignore" ${otherwise}, "Fail" refuses the request.`
    : `  // While no operator answers: "Fail" refuses the request, "Ignore" ${otherwise}.`;
  const lines = [why, `  failurePolicy: "${policy}",`];
  // Objects outside of namespaces have none that could be selected; a Namespace is selected by its own labels.
  if (!namespaced && resource.kind !== "Namespace") return lines.join("\n");
  const [operator, values] = project.namespaced ? ["In", [own]] : ["NotIn", ["kube-system", own]];
  const where = project.namespaced
    ? "  // The operator watches only its own namespace, so other namespaces are excluded."
    : "  // kube-system and the operator's namespace must keep working while the operator is down.";
  return [
    ...lines,
    where,
    "  namespaceSelector: {",
    "    matchExpressions: [",
    `      { key: "kubernetes.io/metadata.name", operator: "${operator}", values: ${JSON.stringify(values).replaceAll(",", ", ")} },`,
    "    ],",
    "  },",
    ...(project.namespaced && resource.core
      ? [
          "  // Excludes the operator's own objects; otherwise it could not start while it is down.",
          "  objectSelector: {",
          '    matchExpressions: [{ key: "control-plane", operator: "NotIn", values: ["controller-manager"] }],',
          "  },",
        ]
      : []),
  ].join("\n");
}
