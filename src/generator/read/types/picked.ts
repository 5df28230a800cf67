/**
 * Some fields of a type: `Pick`, `Omit`, and a type's field by its name.
 *
 * Only the picked fields are read: a class of a foreign package may have fields without a schema
 * beside them.
 */
import { ts } from "../../load.ts";
import type { TypeModel } from "../../model.ts";
import type { Keep, Reader, Scope, Trail } from "../code/reader.ts";

/** Whether a type is one object whose fields are known: no record, no union of objects. */
export const isPlainObject = ({ schema, values, isUnion, unread }: TypeModel): boolean =>
  (schema.type === "object" && !values && !isUnion) || unread === true;

/** The type with the fields that `keep` names. */
export function readPicked(
  reader: Reader,
  node: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  keep: Keep,
): TypeModel {
  if (ts.isParenthesizedTypeNode(node)) return readPicked(reader, node.type, scope, trail, keep);
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const { text } = node.typeName;
    const argument = scope.parameters.get(text);
    if (argument) return readPicked(reader, argument.node, argument.scope, argument.trail, keep);
    const found = reader.modules.resolve(scope.module, text);
    if (found?.is === "declaration" && isPlainDeclaration(found.node)) {
      const way = { trail, from: node, in: scope.module };
      return picked(reader.readDeclared(reader, { ...found, ...way }, keep), keep);
    }
  }
  return picked(reader.readType(reader, node, scope, trail), keep);
}

const isPlainDeclaration = (node: ts.Node): boolean =>
  (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && !node.typeParameters;

function picked(type: TypeModel, keep: Keep): TypeModel {
  const { properties, ...rest } = type;
  const kept = properties?.filter(({ name }) => keep(name)) ?? [];
  const { "x-kubernetes-validations": rules, ...schema } = type.schema;
  // A field that is left out has no rule that says that it stays.
  const held = rules?.filter(({ rule }) => {
    const [, name] = /^!has\(oldSelf\.(\w+)\) \|\| has\(self\.\1\)$/.exec(rule) ?? [];
    return name === undefined || keep(name);
  });
  return {
    ...rest,
    schema: held && held.length > 0 ? { ...schema, "x-kubernetes-validations": held } : schema,
    ...(kept.length > 0 ? { properties: kept } : {}),
  };
}
