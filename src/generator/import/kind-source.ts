/** One version of a CRD as a TypeScript file: the kind's class and the classes of its fields. */
import { pluralOf } from "../../kube/plural.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { without } from "../schema-keywords.ts";
import { standardFields } from "../standard-fields.ts";
import { ClassNames, pascalCase } from "./class-names.ts";
import { reservedClassNames } from "./reserved-names.ts";
import type { ColumnDefinition, CrdDefinition, VersionDefinition } from "./definition.ts";
import { markersOf } from "./markers-of.ts";
import { jsDoc, literal, memberName } from "./source-text.ts";
import { type ClassSource, type FieldSource, TypeWriter } from "./types.ts";
import { present } from "../../present.ts";

/** A version whose schema an earlier one has too: its spec and status come from there. */
export interface SharedSchema {
  readonly module: string;
  /** The arguments of `CustomResource` in that module. */
  readonly types: readonly string[];
}

export interface KindSource {
  readonly text: string;
  /**
   * The names that a version of an equal schema can import; absent where the types are not classes.
   */
  readonly types?: readonly string[];
}

/** Options of a version's source. */
export interface KindSourceOptions {
  /** Whether it is the first of its definition, which has the options that all share. */
  readonly first: boolean;
  readonly shared: SharedSchema | undefined;
  /** Whether the CRD is somebody else's; `undefined` where the group says it. */
  readonly external: boolean | undefined;
}

/** Writes a version; `schema` is its schema in normal form. */
export function kindSource(
  definition: CrdDefinition,
  version: VersionDefinition,
  schema: Schema,
  { first, shared, external }: KindSourceOptions,
): KindSource {
  const { kind } = definition.spec.names;
  const className = classNameOf(kind);
  const writer = new TypeWriter(new ClassNames(className, [className, ...reservedClassNames]));
  writer.uses.add("CustomResource").add("Resource");
  const { spec, status, apiVersion, kind: kindField, metadata, ...own } = schema.properties ?? {};
  const types = shared?.types ?? typeArguments(writer, schema, { spec, status });
  const fields = writer.fieldsOf({ ...schema, properties: own }, []);
  const crd = external === true ? undefined : crdOptions(definition, version, schema, first);
  const said = { ...options(definition, version, className), ...crd, external };
  const markers = [`@Resource(${optionsText(said)})`];
  const aboutCrd = (): string[] => [
    ...columns(version, writer),
    ...subresources(version, writer),
    ...(schema.type === undefined
      ? []
      : objectFields({ apiVersion, kind: kindField, metadata }, writer)),
    ...rootMarkers(schema, writer),
  ];
  if (external !== true) markers.push(...aboutCrd());
  const root: ClassSource = {
    name: className,
    ...present({ description: schema.description }),
    markers,
    fields,
  };
  const heritage = ` extends CustomResource${types.length > 0 ? `<${types.join(", ")}>` : ""}`;
  const body = [
    ...writer.classes.map((source) => classText(source, "", writer)),
    classText(root, heritage, writer),
  ].join("\n");
  const imported = shared ? types.filter((type) => /^\w+$/.test(type)) : [];
  const names = imported.map((type) => type.replace(/ \| undefined$/, ""));
  const text = [
    importLine([...writer.uses].sort(), "tsop"),
    ...(shared && names.length > 0 ? [importLine(names, shared.module, true)] : []),
    "",
    body,
  ].join("\n");
  const plain = types.length > 0 && types.every((type) => /^\w+$/.test(type));
  return { text, ...(plain ? { types } : {}) };
}

/** A class cannot have the name of a type that the file uses, nor of one that TypeScript protects. */
function classNameOf(kind: string): string {
  const name = pascalCase(kind);
  return reservedClassNames.has(name) || !/^[A-Za-z]/.test(name) ? `${name}Kind` : name;
}

const SCALARS = new Set(
  "Base64 Double Duration Float Int Int32 Int64 IntOrString MicroTime Num Quantity Str Time With".split(
    " ",
  ),
);

function importLine(names: readonly string[], module: string, types = false): string {
  const shown = names.map((name) => (!types && SCALARS.has(name) ? `type ${name}` : name));
  const one = `import ${types ? "type " : ""}{ ${shown.join(", ")} } from ${literal(module)};`;
  if (one.length <= 100) return one;
  return `import ${types ? "type " : ""}{\n${shown.map((name) => `  ${name},\n`).join("")}} from ${literal(module)};`;
}

/** The arguments of `CustomResource`. */
function typeArguments(
  writer: TypeWriter,
  { required }: Schema,
  { spec, status }: { readonly spec: Schema | undefined; readonly status: Schema | undefined },
): string[] {
  if (!spec && !status) return [];
  const specType = spec ? writer.wholeType(spec, ["spec"]) : "undefined";
  const optional = spec && !required?.includes("spec") ? `${specType} | undefined` : specType;
  return [optional, ...(status ? [writer.wholeType(status, ["status"])] : [])];
}

/** A definition of several versions that nobody converts is taken as it is. */
function conversionOf({ conversion, versions }: CrdDefinition["spec"]): unknown {
  if (conversion && conversion["strategy"] !== "None") return conversion;
  return versions.length > 1 ? false : undefined;
}

/** The options of `@Resource` that a client needs. */
function options(
  { spec }: CrdDefinition,
  version: VersionDefinition,
  className: string,
): Record<string, unknown> {
  const { names } = spec;
  return {
    group: spec.group,
    version: version.name,
    kind: names.kind === className ? undefined : names.kind,
    plural: names.plural === pluralOf(names.kind) ? undefined : names.plural,
    scope: spec.scope === "Cluster" ? "Cluster" : undefined,
  };
}

/** The other options of `@Resource`, for the CRD. */
function crdOptions(
  { metadata, spec }: CrdDefinition,
  version: VersionDefinition,
  schema: Schema,
  first: boolean,
): Record<string, unknown> {
  const { names } = spec;
  const hasStatus = schema.properties?.["status"] !== undefined;
  const statusSubresource = Boolean(version.subresources?.status);
  const alone = spec.versions.length === 1;
  const some = <T extends object>(value: T | null | undefined): T | undefined =>
    value && Object.keys(value).length > 0 ? value : undefined;
  return {
    singular: otherwise(names.singular, names.kind.toLowerCase()),
    listKind: otherwise(names.listKind, `${names.kind}List`),
    shortNames: some(names.shortNames),
    categories: some(names.categories),
    storage: alone && version.storage === true ? undefined : version.storage === true,
    served: version.served ? undefined : false,
    deprecated: version.deprecated ? (version.deprecationWarning ?? true) : undefined,
    statusSubresource: statusSubresource === hasStatus ? undefined : statusSubresource,
    annotations: first ? some(metadata.annotations) : undefined,
    labels: first ? some(metadata.labels) : undefined,
    conversion: first ? conversionOf(spec) : undefined,
  };
}

function optionsText(said: Record<string, unknown>): string {
  const entries = Object.entries(said).filter(([, value]) => value !== undefined);
  const one = literal(Object.fromEntries(entries));
  if (one.length < 85) return one;
  return `{\n${entries.map(([name, value]) => `  ${name}: ${literal(value)},\n`).join("")}}`;
}

const otherwise = (value: string | undefined, usual: string): string | undefined =>
  value === undefined || value === "" || value === usual ? undefined : value;

function columns({ additionalPrinterColumns }: VersionDefinition, writer: TypeWriter): string[] {
  return (additionalPrinterColumns ?? []).map((column) => {
    writer.uses.add("PrintColumn");
    const { name, jsonPath, type, format, description, priority }: ColumnDefinition = column;
    const said = { type, format, description, priority };
    // Options keep the order of the definition.
    const more = Object.fromEntries(Object.entries(column).filter(([field]) => field in said));
    return `@PrintColumn(${literal(name)}, ${literal(jsonPath)}, ${literal({ ...more, unchecked: true })})`;
  });
}

function subresources(
  { subresources: found, selectableFields }: VersionDefinition,
  writer: TypeWriter,
): string[] {
  const markers: string[] = [];
  if (found?.scale) {
    const { specReplicasPath, statusReplicasPath, labelSelectorPath } = found.scale;
    writer.uses.add("Scale");
    markers.push(
      `@Scale(${literal({ spec: specReplicasPath, status: statusReplicasPath, selector: labelSelectorPath === "" ? undefined : labelSelectorPath, unchecked: true })})`,
    );
  }
  for (const { jsonPath } of selectableFields ?? []) {
    writer.uses.add("Selectable");
    markers.push(`@Selectable(${literal(jsonPath)})`);
  }
  return markers;
}

/** The root's schemas of the fields of every object, where they are unusual. */
function objectFields(
  found: Readonly<Record<keyof typeof standardFields, Schema | undefined>>,
  writer: TypeWriter,
): string[] {
  const usualFields: [string, Schema][] = Object.entries(standardFields);
  const said = usualFields.flatMap(([name, usual]): [string, Schema | false][] => {
    const schema = found[name as keyof typeof standardFields];
    if (!schema) return [[name, false]];
    return JSON.stringify(sorted(schema)) === JSON.stringify(sorted(usual)) ? [] : [[name, schema]];
  });
  if (said.length === 0) return [];
  writer.uses.add("ObjectFields");
  return [
    `@ObjectFields({\n${said.map(([name, schema]) => `  ${name}: ${literal(schema)},\n`).join("")}})`,
  ];
}

const sorted = (schema: Schema): [string, unknown][] =>
  Object.entries(schema).sort(([a], [b]) => (a < b ? -1 : 1));

function rootMarkers(schema: Schema, writer: TypeWriter): string[] {
  if (schema.type === undefined) {
    writer.uses.add("RawSchema");
    return [`@RawSchema(${literal(schema)})`];
  }
  const { properties, required } = schema;
  const rest = without(schema, "type", "description", "properties", "required");
  const more = (required ?? []).filter(
    (name) =>
      name !== "spec" && (standardNames.has(name) || !Object.hasOwn(properties ?? {}, name)),
  );
  const body = { ...rest, ...(more.length > 0 ? { required: more } : {}) };
  return markersOf(body, "object", writer.uses);
}

const standardNames = new Set(["apiVersion", "kind", "metadata", "status"]);

function classText(source: ClassSource, heritage: string, writer: TypeWriter): string {
  const { name, markers, fields } = source;
  const head = described(source, "", writer);
  const lines = [...head.markers, ...markers].map((marker) => `${marker}\n`).join("");
  const body = fields.map((field) => fieldText(field, writer)).join("");
  return `${head.comment}${lines}export class ${name}${heritage} {${body === "" ? "" : `\n${body}`}}\n`;
}

function fieldText(field: FieldSource, writer: TypeWriter): string {
  const { name, mark, type, initial } = field;
  const head = described(field, "  ", writer);
  const markers = [...head.markers, ...field.markers];
  const text = `${memberName(name)}${mark}: ${type}${initial === undefined ? "" : ` = ${initial}`};\n`;
  const one = [...markers, text].join(" ");
  const joined =
    one.length < 98 ? `  ${one}` : `${markers.map((marker) => `  ${marker}\n`).join("")}  ${text}`;
  return `${head.comment}${joined}`;
}

/** A description as a comment, or as a marker where a comment would change it. */
function described(
  { description }: { readonly description?: string },
  indent: string,
  writer: TypeWriter,
): { comment: string; markers: string[] } {
  if (description === undefined) return { comment: "", markers: [] };
  const comment = jsDoc(description, indent);
  if (comment !== undefined) return { comment, markers: [] };
  writer.uses.add("Description");
  return { comment: "", markers: [`@Description(${literal(description)})`] };
}
