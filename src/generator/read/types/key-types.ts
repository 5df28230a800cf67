/** The types of the keys of records. */
import { ts } from "../../load.ts";
import type { Reader, Scope } from "../code/reader.ts";

/** Whether a type of keys has a form, which a schema cannot say of the names of fields. */
export function isTemplate(reader: Reader, node: ts.TypeNode, scope: Scope): boolean {
  if (ts.isTemplateLiteralTypeNode(node)) return true;
  if (!ts.isTypeReferenceNode(node) || !ts.isIdentifier(node.typeName)) return false;
  const argument = scope.parameters.get(node.typeName.text);
  if (argument) return isTemplate(reader, argument.node, argument.scope);
  const found = reader.modules.resolve(scope.module, node.typeName.text);
  const isAlias = found?.is === "declaration" && ts.isTypeAliasDeclaration(found.node);
  if (!isAlias || !ts.isTypeAliasDeclaration(found.node)) return false;
  return isTemplate(reader, found.node.type, { module: found.module, parameters: new Map() });
}
