/**
 * Classes with `@Resource` to kinds.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import { pluralOf } from "../../kube/plural.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { ts } from "../load.ts";
import type { KindModel, Position, PropertyModel, TypeModel } from "../model.ts";
import { standardFields } from "../standard-fields.ts";
import { applyMarks } from "./apply-marks.ts";
import { descriptionOf } from "./documentation.ts";
import { withDescriptions } from "./embed.ts";
import { leaf, narrow } from "./keywords.ts";
import { type Decoration, decorationsOf, argumentsOf, marksOf } from "./marks.ts";
import { readMembers } from "./members.ts";
import type { Module } from "./module.ts";
import { readColumns, readScale, readSelectable } from "./columns.ts";
import { type Reader, complain, topScope } from "./reader.ts";
import { readResource } from "./resource-call.ts";

/** A kind without a spec: `CustomResource<undefined, Status>`. */
const ABSENT = new Set<ts.SyntaxKind>([ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.NeverKeyword]);

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
  const { deprecated, userRoles } = values;
  const kind = text("kind", name.text);
  const type = rootType(reader, module, node, name, decorations);
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
    if (ABSENT.has(argument.kind)) return;
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
