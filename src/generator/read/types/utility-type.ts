/** The types of TypeScript's own library that have a schema: `Record`, `Partial`, `Pick`, ... */
import { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { leaf } from "../code/keywords.ts";
import { isTemplate } from "./key-types.ts";
import { areOfOneType, literalsOf } from "./literals.ts";
import { isPlainObject, readPicked } from "./picked.ts";
import type { Reader, Scope, Trail } from "../code/reader.ts";
import {
  enumeration,
  listOf,
  settled,
  unsupported,
  withOptional,
  withoutUndefined,
} from "./type-forms.ts";

export function utilityType(
  reader: Reader,
  node: ts.TypeReferenceNode,
  name: string,
  scope: Scope,
  trail: Trail,
): TypeModel | undefined {
  const at = reader.modules.at(scope.module, node);
  const [first, second] = node.typeArguments ?? [];
  const read = (part: ts.TypeNode): TypeModel => reader.readType(reader, part, scope, trail);
  if (!first) return undefined;
  switch (name) {
    case "Array":
    case "ReadonlyArray":
      return listOf(reader, first, scope, trail, at);
    case "Readonly":
      return read(first);
    case "NonNullable": {
      const type = withoutUndefined(read(first));
      return { ...type, schema: without(type.schema, "nullable") };
    }
    case "Partial":
    case "Required": {
      const type = read(first);
      // In a union, TypeScript would change each member by itself.
      if (type.isUnion) return undefined;
      if (!type.properties) return name === "Required" && type.items ? undefined : type;
      const properties = type.properties.map((field) => withOptional(field, name === "Partial"));
      return { ...type, properties };
    }
    case "Record":
      return second && recordOf(reader, [first, second], scope, trail, at);
    case "Pick":
    case "Omit":
      return second && fieldsOf(reader, name, node, scope, trail);
    case "Exclude":
    case "Extract": {
      const values = literalsOf(reader, node, scope);
      return values && areOfOneType(values)
        ? enumeration(values, scope.module, trail, at)
        : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * The fields of `Pick<T, Keys>` and `Omit<T, Keys>`; `undefined` where the checker has to compute
 * them.
 */
function fieldsOf(
  reader: Reader,
  name: "Pick" | "Omit",
  { typeArguments = ts.factory.createNodeArray() }: ts.TypeReferenceNode,
  scope: Scope,
  trail: Trail,
): TypeModel | undefined {
  const [first, second] = typeArguments;
  if (!first || !second) return undefined;
  const keys = literalsOf(reader, second, scope);
  if (!keys) return undefined;
  const names = new Set(keys.map(String));
  const type = readPicked(
    reader,
    first,
    scope,
    trail,
    (field) => names.has(field) === (name === "Pick"),
  );
  if (type.unread) return type;
  if (!isPlainObject(type)) return undefined;
  const missing = [...names].find((key) => !type.properties?.some((field) => field.name === key));
  if (name === "Omit" || missing === undefined) return type;
  return unsupported(
    reader,
    { module: scope.module, node: second },
    "not-a-field",
    `${missing} is not a field of ${first.getText(scope.module.file)}.`,
    "Remove methods, accessors, and non-public members: they cannot be part of a schema.",
  );
}

function recordOf(
  reader: Reader,
  [key, value]: readonly [ts.TypeNode, ts.TypeNode],
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel | undefined {
  const names = literalsOf(reader, key, scope);
  if (key.kind === ts.SyntaxKind.NumberKeyword) return wrongKey(reader, key, scope);
  if (names && !scope.module.builtIn) {
    const type = settled(reader.readType(reader, value, scope, trail));
    const required = !type.maybeUndefined;
    const properties = names.map((name) => ({ name: String(name), required, type }));
    return { ...leaf({ type: "object" }, at), properties };
  }
  const keys = names ? undefined : reader.readType(reader, key, scope, trail);
  if (keys?.unread) return keys;
  // Names in a computed enumeration are fields.
  if (keys?.schema.enum) return undefined;
  const isText = keys === undefined || keys.schema.type === "string";
  if (!isText || isTemplate(reader, key, scope)) return wrongKey(reader, key, scope);
  if (value.kind === ts.SyntaxKind.UnknownKeyword) {
    return leaf({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, at);
  }
  // An object without fields.
  if (value.kind === ts.SyntaxKind.NeverKeyword) return leaf({ type: "object" }, at);
  const values = settled(reader.readType(reader, value, scope, trail));
  return { ...leaf({ type: "object" }, at), values };
}

function wrongKey(reader: Reader, key: ts.TypeNode, { module }: Scope): TypeModel {
  return unsupported(
    reader,
    { module, node: key },
    "key-needs-string",
    "The keys of a record are strings in JSON, and a schema cannot constrain them.",
    "Use Record<string, ...>.",
  );
}
