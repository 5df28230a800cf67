/**
 * Classes with `@Resource` to kinds.
 *
 * @module
 */
import { pluralOf } from "../../kube/plural.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { ts } from "../load.ts";
import type { ColumnModel, KindModel, Position, PropertyModel, TypeModel } from "../model.ts";
import { didYouMean } from "../nearest-name.ts";
import { applyMarks } from "./apply-marks.ts";
import { descriptionOf } from "./documentation.ts";
import { evaluate, notConstant } from "./evaluate.ts";
import { leaf, narrow } from "./keywords.ts";
import { type Decoration, decorationsOf, marksOf } from "./marks.ts";
import { readMembers } from "./members.ts";
import type { Module } from "./module.ts";
import { type ResolvedPath, readPath } from "./path.ts";
import { type Reader, complain, topScope } from "./reader.ts";

/** What the API's conventions say of the first two fields of every object; kubectl explain shows it. */
const API_VERSION =
  "APIVersion defines the versioned schema of this representation of an object.\nServers should convert recognized schemas to the latest internal value, and\nmay reject unrecognized values.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND =
  "Kind is a string value representing the REST resource this object represents.\nServers may infer this from the endpoint the client submits requests to.\nCannot be updated.\nIn CamelCase.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

type OptionType = "string" | "boolean" | "strings" | "map" | "text or boolean";

const OPTIONS: Readonly<Record<string, OptionType>> = {
  group: "string",
  version: "string",
  kind: "string",
  plural: "string",
  singular: "string",
  listKind: "string",
  shortNames: "strings",
  categories: "strings",
  scope: "string",
  storage: "boolean",
  served: "boolean",
  deprecated: "text or boolean",
  statusSubresource: "boolean",
  annotations: "map",
  labels: "map",
};

/** The options of `@Resource` as they were written, with their places. */
export interface ResourceCall {
  readonly values: Readonly<Record<string, unknown>>;
  readonly saidAt: ReadonlyMap<string, Position>;
}

/** Reads the argument of `@Resource`; what is wrong with it is noted. */
export function readResource(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
): ResourceCall | undefined {
  const [argument] = call.arguments;
  const value = argument && evaluate(reader, module, argument);
  if (!argument || typeof value !== "object" || value === null) {
    complain(
      reader,
      module,
      argument ?? call,
      "resource-needs-options",
      "@Resource takes an object of constant options.",
      'Write @Resource({ group: "shop.example.com", version: "v1" }).',
    );
    return undefined;
  }
  const values = value as Record<string, unknown>;
  const saidAt = new Map<string, Position>();
  if (ts.isObjectLiteralExpression(argument)) {
    for (const property of argument.properties) {
      const name = property.name?.getText(module.file).replace(/^["']|["']$/g, "");
      if (name !== undefined) saidAt.set(name, reader.modules.at(module, property));
    }
  }
  const at = (name: string): Position => saidAt.get(name) ?? reader.modules.at(module, call);
  for (const [name, given] of Object.entries(values)) {
    const wanted = OPTIONS[name];
    if (wanted === undefined) {
      reader.findings.error(
        at(name),
        "unknown-option",
        `@Resource has no option ${name}.`,
        didYouMean(name, Object.keys(OPTIONS), `It takes ${Object.keys(OPTIONS).join(", ")}.`),
      );
    } else if (!isOfType(given, wanted)) {
      reader.findings.error(
        at(name),
        "wrong-option",
        `The option ${name} of @Resource is a ${wanted}, got ${JSON.stringify(given)}.`,
        `Give it a ${wanted}.`,
      );
    }
  }
  for (const name of ["group", "version"]) {
    if (values[name] !== undefined) continue;
    reader.findings.error(
      at(""),
      "missing-option",
      `@Resource needs the option ${name}.`,
      name === "group" ? 'Add group: "shop.example.com".' : 'Add version: "v1".',
    );
  }
  const { scope } = values;
  if (scope !== undefined && !isScope(scope)) {
    reader.findings.error(
      at("scope"),
      "wrong-option",
      `The scope is Namespaced or Cluster, got ${JSON.stringify(scope)}.`,
      didYouMean(
        typeof scope === "string" ? scope : "",
        ["Namespaced", "Cluster"],
        "Write one of the two.",
      ),
    );
  }
  return { values, saidAt };
}

const isScope = (value: unknown): boolean => value === "Namespaced" || value === "Cluster";

function isOfType(value: unknown, type: OptionType): boolean {
  switch (type) {
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "map":
      return (
        typeof value === "object" &&
        value !== null &&
        Object.values(value).every((item) => typeof item === "string")
      );
    case "text or boolean":
      return typeof value === "string" || typeof value === "boolean";
    case "string":
    case "boolean":
      return typeof value === type;
  }
}

/** Reads a class that has `@Resource`; `undefined` when the decorator cannot be read. */
export function readKind(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): KindModel | undefined {
  const decorations = decorationsOf(reader, module, node);
  const resources = decorations.filter(({ name }) => name === "Resource");
  const [resource] = resources;
  if (!resource) return undefined;
  const call = readResource(reader, module, resource.call);
  const name = node.name;
  if (!call || !name) return undefined;

  const { values, saidAt } = call;
  const text = (option: string, otherwise: string): string =>
    typeof values[option] === "string" ? values[option] : otherwise;
  const texts = (option: string): string[] =>
    Array.isArray(values[option]) ? values[option].map(String) : [];
  const map = (option: string): Record<string, string> => ({
    ...(values[option] as Record<string, string> | undefined),
  });
  const deprecated = values["deprecated"];
  const kind = text("kind", name.text);
  const type = rootType(reader, module, node, name);
  const hasStatus = type.properties?.some((property) => property.name === "status") ?? false;
  const scale = readScale(reader, module, decorations, type);
  return {
    group: text("group", ""),
    version: text("version", ""),
    kind,
    listKind: text("listKind", `${kind}List`),
    plural: text("plural", pluralOf(kind)),
    singular: text("singular", kind.toLowerCase()),
    shortNames: texts("shortNames"),
    categories: texts("categories"),
    scope: values["scope"] === "Cluster" ? "Cluster" : "Namespaced",
    ...(typeof values["storage"] === "boolean" ? { storage: values["storage"] } : {}),
    served: values["served"] !== false,
    deprecated: typeof deprecated === "string" || deprecated === true ? deprecated : false,
    statusSubresource: hasStatus && values["statusSubresource"] !== false,
    ...(scale ? { scale } : {}),
    columns: readColumns(reader, module, decorations, type),
    selectable: readSelectable(reader, module, decorations, type),
    annotations: map("annotations"),
    labels: map("labels"),
    type,
    at: reader.modules.at(module, name),
    saidAt,
  };
}

/** The whole object's type: the fields of every object, spec and status, and what the class adds. */
function rootType(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
  name: ts.Identifier,
): TypeModel {
  const at = reader.modules.at(module, name);
  const text = (description: string): TypeModel => leaf({ type: "string", description }, at);
  const properties: PropertyModel[] = [
    { name: "apiVersion", required: false, type: text(API_VERSION) },
    { name: "kind", required: false, type: text(KIND) },
    { name: "metadata", required: false, type: leaf({ type: "object" }, at) },
  ];
  const base = node.heritageClauses
    ?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    ?.types.find(({ expression }) => isCustomResource(reader, module, expression));
  if (!base) {
    complain(
      reader,
      module,
      name,
      "resource-needs-base",
      `The class ${name.text} has @Resource, but does not extend CustomResource.`,
      `Write class ${name.text} extends CustomResource<${name.text}Spec, ${name.text}Status> {}.`,
    );
  }
  const scope = topScope(module);
  (base?.typeArguments ?? []).slice(0, 2).forEach((argument, index) => {
    const optional =
      ts.isUnionTypeNode(argument) &&
      argument.types.some(({ kind }) => kind === ts.SyntaxKind.UndefinedKeyword);
    properties.push({
      name: index === 0 ? "spec" : "status",
      required: index === 0 && !optional,
      type: reader.readType(reader, argument, scope, [node]),
    });
  });
  const own = readMembers(reader, node, scope, [node]);
  const description = descriptionOf(node);
  const schema: Schema = { type: "object", ...(description === undefined ? {} : { description }) };
  const type: TypeModel = {
    ...leaf(schema, at),
    properties: [...properties, ...(own.properties ?? [])],
  };
  return applyMarks(reader, narrow(type, {}, at), marksOf(reader, module, node)).type;
}

function isCustomResource(reader: Reader, module: Module, node: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === "CustomResource";
  if (!ts.isIdentifier(node)) return false;
  const found = reader.modules.resolve(module, node.text);
  return found?.is === "tsop" && found.name === "CustomResource";
}

function readColumns(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  root: TypeModel,
): ColumnModel[] {
  return decorations
    .filter(({ name }) => name === "PrintColumn")
    .flatMap(({ call }) => {
      const [first, second, third] = call.arguments;
      const name = first && evaluate(reader, module, first);
      if (typeof name !== "string" || !second) {
        complain(
          reader,
          module,
          call,
          "wrong-arguments",
          "@PrintColumn takes a name and a path.",
          'Write @PrintColumn("Ready", (web: MyWeb) => web.status?.ready).',
        );
        return [];
      }
      const path = readPath(reader, module, second, root);
      const options = third ? evaluate(reader, module, third) : {};
      if (!path || options === notConstant) return [];
      const said = options as Partial<
        Pick<ColumnModel, "type" | "format" | "description" | "priority">
      >;
      const type = said.type ?? columnType(reader, module, second, path);
      return type === undefined
        ? []
        : [{ ...said, name, jsonPath: path.jsonPath, type, at: reader.modules.at(module, call) }];
    });
}

/** The type of a column is that of its field; a moment is shown as an age. */
function columnType(
  reader: Reader,
  module: Module,
  node: ts.Node,
  { type, jsonPath }: ResolvedPath,
): string | undefined {
  const { schema } = type;
  if (schema.type === "string") return schema.format === "date-time" ? "date" : "string";
  if (schema.type === "integer" || schema.type === "number" || schema.type === "boolean") {
    return schema.type;
  }
  if (schema["x-kubernetes-int-or-string"] ?? schema["x-kubernetes-preserve-unknown-fields"]) {
    return "string";
  }
  complain(
    reader,
    module,
    node,
    "column-of-structure",
    `The column ${jsonPath} is ${schema.type === "array" ? "a list" : "an object"}; it would show nothing readable.`,
    'Choose a field in it, or say { type: "string" } to show it as JSON.',
  );
  return undefined;
}

function readScale(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  root: TypeModel,
): KindModel["scale"] {
  const call = decorations.find(({ name }) => name === "Scale")?.call;
  const argument = call?.arguments[0];
  if (!call || !argument) return undefined;
  const paths = new Map<string, string>();
  if (ts.isObjectLiteralExpression(argument)) {
    for (const property of argument.properties) {
      if (!ts.isPropertyAssignment(property)) continue;
      const path = readPath(reader, module, property.initializer, root);
      if (path) paths.set(property.name.getText(module.file), path.jsonPath);
    }
  }
  const [spec, status, selector] = ["spec", "status", "selector"].map((name) => paths.get(name));
  const wrong = [
    [spec, ".spec."],
    [status, ".status."],
  ].some(([path, start]) => path !== undefined && start !== undefined && !path.startsWith(start));
  if (spec === undefined || status === undefined || wrong) {
    complain(
      reader,
      module,
      call,
      "wrong-scale",
      "@Scale needs the path of the wanted replicas below .spec, and of the seen ones below .status.",
      "Write @Scale({ spec: (web: MyWeb) => web.spec.replicas, status: (web: MyWeb) => web.status?.replicas }).",
    );
    return undefined;
  }
  return { spec, status, ...(selector === undefined ? {} : { selector }) };
}

function readSelectable(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  root: TypeModel,
): KindModel["selectable"] {
  return decorations
    .filter(({ name }) => name === "Selectable")
    .flatMap(({ call }) => {
      const [argument] = call.arguments;
      const path = argument && readPath(reader, module, argument, root);
      if (!path) return [];
      const kind = path.type.schema.type ?? "";
      if (path.throughList || !["string", "boolean", "integer"].includes(kind)) {
        complain(
          reader,
          module,
          argument,
          "not-selectable",
          `Field selectors cannot ask for ${path.jsonPath}.`,
          "Choose a string, a boolean or a whole number that is not inside a list.",
        );
        return [];
      }
      return [{ jsonPath: path.jsonPath, at: reader.modules.at(module, call) }];
    });
}
