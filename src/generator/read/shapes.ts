/**
 * The forms that types of several kinds come down to: lists, enumerations, merged objects, and the
 * placeholder for what has no schema.
 *
 * @module
 */
import type { Schema } from "../../kube/schema/structural.ts";
import type { ts } from "../load.ts";
import type { Position, PropertyModel, TypeModel } from "../model.ts";
import { leaf, narrow } from "./keywords.ts";
import type { Literal } from "./literals.ts";
import type { Module } from "./module.ts";
import { type Reader, type Scope, type Trail, complain } from "./reader.ts";

export function unsupported(
  reader: Reader,
  module: Module,
  node: ts.Node,
  code: string,
  message: string,
  fix: string,
): TypeModel {
  complain(reader, module, node, code, message, fix);
  const at = reader.modules.at(module, node);
  return { ...leaf({ "x-kubernetes-preserve-unknown-fields": true }, at), unread: true };
}

/** A list of a type. */
export function listOf(
  reader: Reader,
  element: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  return { ...leaf({ type: "array" }, at), items: reader.readType(reader, element, scope, trail) };
}

const ENFORCED = "Condition";

export function enumeration(
  values: readonly Literal[],
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  const unique = [...new Set(values)];
  const open = module.builtIn && trail.at(-1)?.name?.getText() !== ENFORCED;
  const only: Schema = open ? {} : { enum: unique };
  if (unique.every((value) => typeof value === "string"))
    return leaf({ type: "string", ...only }, at);
  if (unique.every((value) => typeof value === "boolean")) {
    return leaf({ type: "boolean", ...(unique.length === 1 ? only : {}) }, at);
  }
  const whole = unique.every((value) => Number.isInteger(value));
  return leaf({ type: whole ? "integer" : "number", ...only }, at);
}

export function merge(types: readonly TypeModel[], at: Position): TypeModel {
  const properties = new Map<string, PropertyModel>();
  let type: TypeModel = leaf({ type: "object" }, at);
  for (const part of types) {
    for (const property of part.properties ?? []) properties.set(property.name, property);
    type = narrow(type, part.schema, at);
    if (part.values) type = { ...type, values: part.values };
  }
  return { ...type, ...(properties.size > 0 ? { properties: [...properties.values()] } : {}) };
}
