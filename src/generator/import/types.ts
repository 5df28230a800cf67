/**
 * Turns schemas into the types of TypeScript, with the classes that they need.
 *
 * Each type says as much of its schema as it can; the rest is handed back, for decorators where the
 * type is a field's, and for `With<...>` where it is not. A schema without any form in TypeScript
 * is written as it is: `With<unknown, {...}>`.
 */
import type { Schema } from "../../kube/schema/structural.ts";
import { without } from "../schema-keywords.ts";
import { type ClassNames, singularOf } from "./class-names.ts";
import { type Carrier, type Uses, markersOf } from "./markers-of.ts";
import { literal } from "./source-text.ts";
import { present } from "../../present.ts";

export interface ClassSource {
  readonly name: string;
  readonly description?: string;
  readonly markers: readonly string[];
  readonly fields: readonly FieldSource[];
}

export interface FieldSource {
  readonly name: string;
  readonly description?: string;
  readonly markers: readonly string[];
  readonly mark: "?" | "!" | "";
  readonly type: string;
  readonly initial?: string;
}

/** A type, and the keywords that it does not say. */
interface TypeSource {
  readonly text: string;
  readonly rest: Schema;
  readonly on: Carrier;
}

type Path = readonly string[];

const INT_OR_STRING = JSON.stringify([{ type: "integer" }, { type: "string" }]);

/** The pattern that tells a quantity from other texts, as apimachinery parses them. */
const QUANTITY =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** The types of one version of one kind. */
export class TypeWriter {
  /** The classes in the order in which they were met: the outer ones first. */
  readonly classes: ClassSource[] = [];
  /** Names of `tsop` that the types use. */
  readonly uses: Uses = new Set();
  readonly #names: ClassNames;
  readonly #known = new Map<string, string>();

  constructor(names: ClassNames) {
    this.#names = names;
  }

  /** The fields of an object: what its properties say, in their order. */
  fieldsOf(schema: Schema, path: Path): FieldSource[] {
    const required = new Set(schema.required);
    return Object.entries(schema.properties ?? {}).map(([name, property]) =>
      this.#field(name, property, required.has(name), [...path, name]),
    );
  }

  /** A type that stands alone: with its description and everything else. */
  wholeType(schema: Schema, path: Path): string {
    const { text, rest } = this.#typeOf(schema, path, true);
    const { nullable, ...keywords } = rest;
    const inner = nullable ? `${text} | null` : text;
    if (Object.keys(keywords).length === 0) return inner;
    this.uses.add("With");
    // Beside an enumeration, `| null` would be a rule.
    const inside = keywords.enum && nullable ? { ...keywords, nullable } : keywords;
    const narrowed = `With<${text}, ${literal(inside)}>`;
    return nullable && inside === keywords ? `${narrowed} | null` : narrowed;
  }

  #field(name: string, schema: Schema, required: boolean, path: Path): FieldSource {
    const { description, ...body } = schema;
    const { text, rest, on } = this.#typeOf(body, path, false);
    const { nullable, ...keywords } = rest;
    const initial = required ? undefined : initialiser(text, keywords.default);
    const said = initial === undefined ? keywords : without(keywords, "default");
    return {
      name,
      ...present({ description }),
      markers: markersOf(said, on, this.uses),
      mark: initial === undefined ? (required ? "!" : "?") : "",
      type: nullable ? `${text} | null` : text,
      ...present({ initial }),
    };
  }

  /** The type of a schema. `alone`: nothing beside the type can carry its description. */
  #typeOf(schema: Schema, path: Path, alone: boolean): TypeSource {
    const { type } = schema;
    if (schema["x-kubernetes-int-or-string"]) return this.#intOrString(schema);
    switch (type) {
      case "string":
        return this.#text(schema);
      case "integer":
      case "number":
        return this.#number(schema, type);
      case "boolean":
        return { text: "boolean", rest: without(schema, "type"), on: "any" };
      case "array":
        return this.#list(schema, path);
      case "object":
        return this.#object(schema, path, alone);
      default:
        return this.#untyped(schema);
    }
  }

  #named(text: string, schema: Schema, on: Carrier, ...said: (keyof Schema)[]): TypeSource {
    this.uses.add(text);
    return { text, rest: without(schema, "type", ...said), on };
  }

  #text(schema: Schema): TypeSource {
    const values = schema.enum;
    // `"a" | null` is not an enumeration: the API server refuses null where there is one.
    if (values && isUnion(values) && schema.nullable !== true) {
      const text = values.map((value) => JSON.stringify(value)).join(" | ");
      return { text, rest: without(schema, "type", "enum"), on: "string" };
    }
    if (schema.format === "date-time") return this.#named("Time", schema, "string", "format");
    if (schema.format === "byte") return this.#named("Base64", schema, "string", "format");
    return { text: "string", rest: without(schema, "type"), on: "string" };
  }

  #number(schema: Schema, type: "integer" | "number"): TypeSource {
    const name =
      { int32: "Int32", int64: "Int64", float: "Float", double: "Double" }[schema.format ?? ""] ??
      "";
    const fits = type === "integer" ? name.startsWith("Int") : name !== "" && !/^Int/.test(name);
    if (fits) return this.#named(name, schema, "number", "format");
    return this.#named(type === "integer" ? "Int" : "Num", schema, "number");
  }

  #intOrString(schema: Schema): TypeSource {
    const usual = schema.type === undefined && JSON.stringify(schema.anyOf) === INT_OR_STRING;
    if (!usual) return this.#asIs(schema);
    const said = ["anyOf", "x-kubernetes-int-or-string"] as const;
    return schema.pattern === QUANTITY
      ? this.#named("Quantity", schema, "string", "pattern", ...said)
      : this.#named("IntOrString", schema, "string", ...said);
  }

  #list(schema: Schema, path: Path): TypeSource {
    const { items } = schema;
    if (!items) return this.#asIs(schema);
    const last = path.at(-1) ?? "item";
    const item = this.wholeType(items, [...path.slice(0, -1), singularOf(last)]);
    const keys = schema["x-kubernetes-list-map-keys"] ?? [];
    const keyed =
      keys.length > 0 &&
      isClass(items) &&
      items.nullable !== true &&
      keys.every((key) => Object.hasOwn(items.properties ?? {}, key));
    return {
      text: /^[\w$]+$/.test(item) || /^With<.*>$/.test(item) ? `${item}[]` : `(${item})[]`,
      rest: without(schema, "type", "items"),
      on: keyed ? "keyed array" : "array",
    };
  }

  #object(schema: Schema, path: Path, alone: boolean): TypeSource {
    const { properties, additionalProperties } = schema;
    const hasFields = Object.keys(properties ?? {}).length > 0;
    if (hasFields && isClass(schema)) return this.#class(schema, path, alone);
    if (hasFields || typeof additionalProperties === "boolean") return this.#asIs(schema);
    if (additionalProperties) {
      const values = this.wholeType(additionalProperties, [
        ...path.slice(0, -1),
        singularOf(path.at(-1) ?? "value"),
      ]);
      return {
        text: `Record<string, ${values}>`,
        rest: without(schema, "type", "additionalProperties", "properties"),
        on: "object",
      };
    }
    if (schema["x-kubernetes-preserve-unknown-fields"]) {
      return {
        text: "Record<string, unknown>",
        rest: without(schema, "type", "properties", "x-kubernetes-preserve-unknown-fields"),
        on: "object",
      };
    }
    // An object inside the object keeps apiVersion, kind and metadata.
    const text = schema["x-kubernetes-embedded-resource"] ? "object" : "Record<string, never>";
    return { text, rest: without(schema, "type", "properties"), on: "object" };
  }

  #untyped(schema: Schema): TypeSource {
    if (schema["x-kubernetes-preserve-unknown-fields"] && !schema.properties && !schema.items) {
      return { text: "unknown", rest: schema, on: "any" };
    }
    return this.#asIs(schema);
  }

  #asIs(schema: Schema): TypeSource {
    const { nullable, default: fallback, description, ...fixed } = schema;
    this.uses.add("With");
    return {
      text: `With<unknown, ${literal(fixed)}>`,
      rest: {
        ...present({ nullable, default: fallback, description }),
      },
      on: "any",
    };
  }

  /** A class for the object; the one that was made for an equal schema, when there is one. */
  #class(schema: Schema, path: Path, alone: boolean): TypeSource {
    const { description, nullable, default: fallback, example, ...body } = schema;
    const own = alone ? { description } : {};
    const key = JSON.stringify([own, body]);
    const known = this.#known.get(key);
    const name = known ?? this.#names.nameFor(path);
    if (known === undefined) {
      this.#known.set(key, name);
      const position = this.classes.length;
      const fields = this.fieldsOf(body, path);
      const undeclared = body.required?.filter(
        (field) => !Object.hasOwn(body.properties ?? {}, field),
      );
      const rest = {
        ...without(body, "type", "properties", "required"),
        ...(undeclared?.length ? { required: undeclared } : {}),
      };
      this.classes.splice(position, 0, {
        name,
        ...(alone && description !== undefined ? { description } : {}),
        markers: markersOf(rest, "object", this.uses),
        fields,
      });
    }
    return {
      text: name,
      rest: {
        ...(!alone && description !== undefined ? { description } : {}),
        ...present({ nullable, default: fallback, example }),
      },
      on: "object",
    };
  }
}

/** Whether an object's fields can be those of a class. */
function isClass(schema: Schema): boolean {
  const names = Object.keys(schema.properties ?? {});
  const rules = schema.additionalProperties !== undefined;
  return schema.type === "object" && names.length > 0 && !rules;
}

/** Whether the values can be a union of literals, in their order. */
function isUnion(values: readonly unknown[]): boolean {
  return (
    values.length > 0 &&
    values.every((value) => typeof value === "string") &&
    new Set(values).size === values.length
  );
}

/** The default as the field's initialiser, where the compiler takes it. */
function initialiser(type: string, value: Schema["default"]): string | undefined {
  if (typeof value === "string") {
    const union = type.startsWith('"') && type.split(" | ").includes(JSON.stringify(value));
    const texts = ["string", "Time", "Base64", "IntOrString", "Quantity"];
    return union || texts.includes(type) ? literal(value) : undefined;
  }
  if (typeof value === "boolean") return type === "boolean" ? String(value) : undefined;
  const numbers = /^(?:Int|Int32|Int64|Num|Float|Double|IntOrString|Quantity)$/;
  return typeof value === "number" && numbers.test(type) ? literal(value) : undefined;
}
