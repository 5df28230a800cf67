/** Adds the keywords of a marker to a type: each keyword by its own rule. */
import type { Schema } from "../../../kube/schema/structural.ts";
import type { Position, TypeModel } from "../../model.ts";

/** A node of the model without children. */
export function leaf(schema: Schema, at: Position): TypeModel {
  return { schema, at, saidAt: new Map() };
}

/** Bounds of which the narrower one holds when both the type and the field have one. */
const LOWER = ["minLength", "minItems", "minProperties"] as const;
const UPPER = ["maxLength", "maxItems", "maxProperties"] as const;

/**
 * `type`, narrowed by `more`. Bounds are intersected, since a bound inside `allOf` is invisible to the
 * API server's cost estimates; of two patterns both have to match; rules of the field run before those of
 * its type; everything else is replaced.
 */
export function narrow(type: TypeModel, more: Schema, at: Position): TypeModel {
  const schema: Schema = { ...type.schema };
  const saidAt = new Map(type.saidAt);
  for (const keyword of Object.keys(more) as (keyof Schema)[]) {
    const value = more[keyword];
    if (value === undefined) continue;
    const before = schema[keyword];
    const { pattern } = schema;
    if (keyword === "pattern" && pattern !== undefined && more.pattern !== pattern) {
      delete schema.pattern;
      schema.allOf = [...(schema.allOf ?? []), { pattern }, { pattern: more.pattern ?? "" }];
    } else if (keyword === "x-kubernetes-validations") {
      schema[keyword] = [...(more[keyword] ?? []), ...(schema[keyword] ?? [])];
    } else if (keyword === "allOf" && schema.allOf) {
      schema.allOf = [...schema.allOf, ...(more.allOf ?? [])];
    } else if (keyword === "enum" && schema.enum) {
      const allowed = new Set(more.enum);
      schema.enum = schema.enum.filter((item) => allowed.has(item));
    } else if (!narrowBound(schema, more, keyword)) {
      Object.assign(schema, { [keyword]: value });
    } else if (schema[keyword] === before) {
      continue;
    }
    saidAt.set(keyword, at);
  }
  return { ...type, schema, saidAt };
}

/** Intersects a bound; false when `keyword` is not one, or there was none before. */
function narrowBound(schema: Schema, more: Schema, keyword: string): boolean {
  for (const name of LOWER) {
    if (name === keyword && schema[name] !== undefined) {
      schema[name] = Math.max(schema[name], more[name] ?? 0);
      return true;
    }
  }
  for (const name of UPPER) {
    if (name === keyword && schema[name] !== undefined) {
      schema[name] = Math.min(schema[name], more[name] ?? Infinity);
      return true;
    }
  }
  if (keyword === "minimum" || keyword === "exclusiveMinimum") {
    return narrowLimit(schema, more, "minimum", "exclusiveMinimum", (a, b) => a > b);
  }
  if (keyword === "maximum" || keyword === "exclusiveMaximum") {
    return narrowLimit(schema, more, "maximum", "exclusiveMaximum", (a, b) => a < b);
  }
  return false;
}

/** Of two limits the narrower one stays, with its own exclusiveness; of two equal ones, the exclusive one. */
function narrowLimit(
  schema: Schema,
  more: Schema,
  limit: "minimum" | "maximum",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
  isNarrower: (a: number, b: number) => boolean,
): boolean {
  const [before, after] = [schema[limit], more[limit]];
  if (before === undefined || after === undefined) return false;
  if (before === after) {
    if (more[exclusive]) schema[exclusive] = true;
  } else if (isNarrower(after, before)) {
    schema[limit] = after;
    if (more[exclusive]) schema[exclusive] = true;
    else delete schema[exclusive];
  }
  return true;
}
