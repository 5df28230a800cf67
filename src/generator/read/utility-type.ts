/**
 * The types of TypeScript's own library that have a schema: `Record`, `Partial`, `Pick`, ...
 *
 * @module
 */
import { ts } from "../load.ts";
import type { Position, TypeModel } from "../model.ts";
import { without } from "../schema-keywords.ts";
import { leaf, narrow } from "./keywords.ts";
import { literalsOf, nonNullLiterals } from "./literals.ts";
import type { Reader, Scope, Trail } from "./reader.ts";
import { scalars } from "./scalars.ts";
import { enumeration, listOf, unsupported } from "./shapes.ts";

export function utilityType(
  reader: Reader,
  node: ts.TypeReferenceNode,
  name: string,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel | undefined {
  const [first, second] = node.typeArguments ?? [];
  const read = (part: ts.TypeNode): TypeModel => reader.readType(reader, part, scope, trail);
  if (name === "Date") return leaf({ ...scalars.get("Time") }, at);
  if (name === "Uint8Array") return leaf({ ...scalars.get("Base64") }, at);
  if (!first) return undefined;
  switch (name) {
    case "Array":
    case "ReadonlyArray":
      return listOf(reader, first, scope, trail, at);
    case "Set":
    case "ReadonlySet":
      return narrow(
        listOf(reader, first, scope, trail, at),
        { "x-kubernetes-list-type": "set" },
        at,
      );
    case "Readonly":
      return read(first);
    case "NonNullable": {
      const values = nonNullLiterals(reader, first, scope);
      if (values) return enumeration(values, scope.module, trail, at);
      const type = read(first);
      return { ...type, schema: without(type.schema, "nullable") };
    }
    case "Partial":
    case "Required":
      return withRequired(read(first), name === "Required");
    default:
      return second && twoArguments(reader, name, first, second, scope, trail, at);
  }
}

function twoArguments(
  reader: Reader,
  name: string,
  first: ts.TypeNode,
  second: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel | undefined {
  if (name === "Record" || name === "Map" || name === "ReadonlyMap") {
    return recordOf(reader, first, second, scope, trail, at);
  }
  const names = new Set((literalsOf(reader, second, scope) ?? []).map(String));
  if (name !== "Pick" && name !== "Omit") {
    const values = literalsOf(reader, first, scope)?.filter(
      (value) => names.has(String(value)) === (name === "Extract"),
    );
    const known = name === "Exclude" || name === "Extract";
    return known && values ? enumeration(values, scope.module, trail, at) : undefined;
  }
  const type = reader.readType(reader, first, scope, trail);
  return {
    ...type,
    properties: (type.properties ?? []).filter(
      (property) => names.has(property.name) === (name === "Pick"),
    ),
  };
}

function recordOf(
  reader: Reader,
  key: ts.TypeNode,
  value: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const names = literalsOf(reader, key, scope);
  if (names && !scope.module.builtIn) {
    const type = reader.readType(reader, value, scope, trail);
    const properties = names.map((name) => ({ name: String(name), required: true, type }));
    return { ...leaf({ type: "object" }, at), properties };
  }
  const keys = names ? undefined : reader.readType(reader, key, scope, trail);
  if (keys && keys.schema.type !== "string") {
    return unsupported(
      reader,
      scope.module,
      key,
      "key-needs-string",
      "The keys of a record are strings in JSON.",
      "Use Record<string, ...>.",
    );
  }
  if (value.kind === ts.SyntaxKind.UnknownKeyword) {
    return leaf({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, at);
  }
  return { ...leaf({ type: "object" }, at), values: reader.readType(reader, value, scope, trail) };
}

function withRequired(type: TypeModel, required: boolean): TypeModel {
  return {
    ...type,
    properties: (type.properties ?? []).map((property) => ({ ...property, required })),
  };
}
