/** The values in the template of a kind of the project's own. */
import { stringify } from "yaml";
import type { SpecField } from "./field.ts";
import { variableOf } from "./kind-names.ts";
import { apiGroupOf, type Project, type ProjectResource } from "../project-file.ts";
import { articleOf, listed } from "./source-line.ts";

/** Roles for the kind's users; `aggregated` adds them to the cluster's own. */
type UserRoles = "separate" | "aggregated" | "none";

/** The facts about the class beside its name. */
interface ClassFacts {
  readonly fields: readonly SpecField[];
  readonly userRoles: UserRoles;
  /** Whether its objects are in namespaces. */
  readonly namespaced: boolean;
}

/** The values of the template. */
export function classValues(
  project: Project,
  resource: ProjectResource,
  { fields, userRoles, namespaced }: ClassFacts,
): Record<string, unknown> {
  const { kind, version, plural } = resource;
  const apiGroup = apiGroupOf(project, resource);
  // What may be left out is left out: not every value of its type has to be a useful one.
  const given = fields.filter(
    ({ optional, initializer }) => !optional || initializer !== undefined,
  );
  return {
    a: articleOf(kind),
    A: articleOf(kind) === "a" ? "A" : "An",
    sample: sampleOf(kind, `${apiGroup}/${version}`, given),
    spec: specOf(given),
    printColumns: [readyColumnOf(kind), ageColumnOf(kind)],
    resource: resourceOf({
      ...{ group: apiGroup, version, plural },
      ...(!namespaced && { scope: "Cluster" }),
      ...(userRoles !== "none" && { userRoles }),
    }),
    imports: listed("import {", importsOf(fields), '} from "tsop";'),
    fields: fields.map((field) => ({ ...field, declaration: declarationOf(field) })),
  };
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

/** The `@Resource` decorator of the class. */
function resourceOf(options: Readonly<Record<string, string>>): string {
  const lines = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
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
