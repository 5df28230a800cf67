/** Reads classes with `@Resource` as kinds. */
import type { JsonObject } from "../../kube/object.ts";
import { pluralOf } from "../../kube/plural.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { ts } from "../load.ts";
import type { ExternalKindModel, KindModel, Position, PropertyModel, TypeModel } from "../model.ts";
import { standardFields } from "../standard-fields.ts";
import { applyMarks } from "./types/apply-marks.ts";
import { descriptionOf } from "./code/documentation.ts";
import { withDescriptions } from "./types/embed.ts";
import { leaf, narrow } from "./code/keywords.ts";
import { type Decoration, decorationsOf, argumentsOf, marksOf } from "./marks/marks.ts";
import { readMembers } from "./types/members.ts";
import type { Module } from "./code/module.ts";
import { readColumns, readScale, readSelectable } from "./marks/columns.ts";
import { checkedFields } from "./types/checked-object.ts";
import { answer } from "./types/checked-type.ts";
import { type Reader, type Trail, complain } from "./code/reader.ts";
import { readResource } from "./marks/resource-call.ts";
import { present } from "../../present.ts";

/** A kind without a spec: `CustomResource<undefined, Status>`. */
const ABSENT = new Set<ts.SyntaxKind>([ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.NeverKeyword]);

/** Reads a class that has `@Resource`; `undefined` when the decorator cannot be read. */
export function readKind(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): KindModel | ExternalKindModel | undefined {
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
  // A value of another type was reported.
  const map = (option: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values[option] ?? {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    );
  const { deprecated, userRoles } = values;
  const kind = text("kind", name.text);
  const plural = text("plural", pluralOf(kind));
  const scope = values["scope"] === "Cluster" ? "Cluster" : "Namespaced";
  if (values["external"] === true) {
    return { group: text("group", ""), kind, plural, scope, at: reader.modules.at(module, name) };
  }
  const type = rootType(reader, module, node, name, decorations);
  const hasStatus = type.properties?.some((property) => property.name === "status") ?? false;
  const scale = readScale(reader, module, decorations, type);
  return {
    group: text("group", ""),
    version: text("version", ""),
    kind,
    listKind: text("listKind", `${kind}List`),
    plural,
    singular: text("singular", kind.toLowerCase()),
    shortNames: texts("shortNames"),
    categories: texts("categories"),
    scope,
    ...(typeof values["storage"] === "boolean" ? { storage: values["storage"] } : {}),
    served: values["served"] !== false,
    deprecated: typeof deprecated === "string" || deprecated === true ? deprecated : false,
    statusSubresource:
      typeof values["statusSubresource"] === "boolean" ? values["statusSubresource"] : hasStatus,
    ...(userRoles === "separate" || userRoles === "aggregated" ? { userRoles } : {}),
    ...(scale ? { scale } : {}),
    columns: readColumns(reader, module, decorations, type),
    selectable: readSelectable(reader, module, decorations, type),
    annotations: map("annotations"),
    labels: map("labels"),
    ...(typeof values["conversion"] === "object"
      ? { conversion: values["conversion"] as JsonObject }
      : {}),
    type: withDescriptions(type, descriptionLimit(values["descriptions"])),
    at: reader.modules.at(module, name),
    saidAt,
  };
}

function descriptionLimit(said: unknown): number | boolean {
  return typeof said === "number" || typeof said === "boolean" ? said : true;
}

/** The whole object's type: the fields of every object, spec and status, and what the class adds. */
function rootType(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
  name: ts.Identifier,
  decorations: readonly Decoration[],
): TypeModel {
  const at = reader.modules.at(module, name);
  const properties = objectFields(reader, module, decorations, at);
  const base = baseOf(reader, node, module, [node]);
  if (!base) complainOfBase(reader, module, node, name);
  const add = (field: PropertyModel): void => {
    const index = properties.findIndex((before) => before.name === field.name);
    properties.splice(index < 0 ? properties.length : index, index < 0 ? 0 : 1, field);
  };
  const classes = [...(base?.between ?? []), { node, module }];
  if (base?.isGeneric) {
    genericFields(reader, module, node).forEach(add);
  } else {
    (base?.arguments ?? []).slice(0, 2).forEach((argument, index) => {
      if (ABSENT.has(argument.kind)) return;
      const type = reader.readType(reader, argument, base?.module ?? module, [node]);
      const required = index === 0 && !type.maybeUndefined;
      add({ name: index === 0 ? "spec" : "status", required, type });
    });
    for (const part of classes) {
      const own = readMembers(reader, part.node, part.module, [node], { inherited: properties });
      own.properties?.forEach(add);
    }
  }
  const description = descriptionOf(node);
  const schema: Schema = { type: "object", ...present({ description }) };
  const type: TypeModel = {
    ...leaf(schema, at),
    properties,
  };
  const marks = classes.flatMap((part) => marksOf(reader, part.module, part.node));
  return applyMarks(reader, narrow(type, {}, at), marks).type;
}

/** The fields of a kind whose base class has type parameters: TypeScript knows what they stand for. */
function genericFields(reader: Reader, module: Module, node: ts.ClassDeclaration): PropertyModel[] {
  const checker = reader.modules.checkerFor(module);
  const { properties = [] } = answer({ reader, checker, module, node, trail: [node] }, (asked) => ({
    ...leaf({ type: "object" }, asked.at),
    properties: checkedFields(
      asked,
      checker.getTypeAtLocation(node),
      new Set(Object.keys(standardFields)),
    ),
  }));
  return [...properties];
}

/** The classes above a kind's class, up to CustomResource. */
interface Base {
  /** The arguments of CustomResource, in the file in which they are written. */
  readonly arguments: readonly ts.TypeNode[];
  readonly module: Module;
  /** Whether a class between has type parameters, so that only the checker knows the arguments. */
  readonly isGeneric: boolean;
  /** The classes between, the outermost first. */
  readonly between: readonly { readonly node: ts.ClassDeclaration; readonly module: Module }[];
}

function baseOf(
  reader: Reader,
  node: ts.ClassDeclaration,
  module: Module,
  trail: Trail,
): Base | undefined {
  const base = baseClause(node);
  if (!base) return undefined;
  const { expression, typeArguments = [] } = base;
  if (isCustomResource(reader, module, expression)) {
    return { arguments: typeArguments, module, isGeneric: false, between: [] };
  }
  const found = ts.isIdentifier(expression)
    ? reader.modules.resolve(module, expression.text)
    : undefined;
  if (found?.is !== "declaration" || !ts.isClassDeclaration(found.node)) return undefined;
  if (trail.includes(found.node)) return undefined;
  const { node: above, module: file } = found;
  const further = baseOf(reader, above, file, [...trail, above]);
  return (
    further && {
      ...further,
      isGeneric: further.isGeneric || above.typeParameters !== undefined,
      between: [...further.between, { node: above, module: file }],
    }
  );
}

const baseClause = (node: ts.ClassDeclaration): ts.ExpressionWithTypeArguments | undefined =>
  node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0];

function complainOfBase(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
  name: ts.Identifier,
): void {
  const base = baseClause(node)?.expression;
  const isCall = base !== undefined && !ts.isIdentifier(base);
  complain(
    reader,
    { module, node: name },
    "resource-needs-base",
    isCall
      ? `The class ${name.text} has @Resource, but its base class is computed at run time: \`${base.getText(module.file)}\`.`
      : `The class ${name.text} has @Resource, but does not extend CustomResource, nor a class that does.`,
    `Write class ${name.text} extends CustomResource<${name.text}Spec, ${name.text}Status> {}.`,
  );
}

/** `apiVersion`, `kind` and `metadata`, as always or as `@ObjectFields` says. */
function objectFields(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  at: Position,
): PropertyModel[] {
  const call = decorations.find((decoration) => decoration.name === "ObjectFields")?.call;
  const [said] = (call && argumentsOf(reader, module, call)) ?? [];
  const schemas: Record<string, Schema | false> = {
    ...standardFields,
    ...(said as Record<string, Schema | false> | undefined),
  };
  return Object.entries(schemas).flatMap(([field, schema]) =>
    schema === false ? [] : [{ name: field, required: false, type: leaf(schema, at) }],
  );
}

function isCustomResource(reader: Reader, module: Module, node: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === "CustomResource";
  if (!ts.isIdentifier(node)) return false;
  const found = reader.modules.resolve(module, node.text);
  return found?.is === "tsop" && found.name === "CustomResource";
}
