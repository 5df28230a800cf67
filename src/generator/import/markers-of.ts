/**
 * Turns the keywords of a schema into the decorators for them.
 *
 * Keywords that no decorator says as they are stand in one `@AddSchema`.
 */
import { textFormats } from "../../markers/text-formats.ts";
import type { Schema, ValidationRule } from "../../kube/schema/structural.ts";
import { literal } from "./source-text.ts";

/** The type of the field that would carry a decorator: it decides which ones the compiler takes. */
export type Carrier = "number" | "string" | "array" | "keyed array" | "object" | "any";

/** Names of `tsop` that a source uses. */
export type Uses = Set<string>;

const TEXT_FORMATS: ReadonlySet<string> = new Set(textFormats);

const SIMPLE: Readonly<Partial<Record<keyof Schema, readonly [Carrier, string]>>> = {
  title: ["any", "Title"],
  multipleOf: ["number", "MultipleOf"],
  minLength: ["string", "MinLength"],
  maxLength: ["string", "MaxLength"],
  pattern: ["string", "Pattern"],
  minItems: ["array", "MinItems"],
  maxItems: ["array", "MaxItems"],
  minProperties: ["object", "MinProperties"],
  maxProperties: ["object", "MaxProperties"],
};

const KEYS = "x-kubernetes-list-map-keys";

/** The decorators that say `schema`, in source order; `uses` gets their names. */
export function markersOf(schema: Schema, on: Carrier, uses: Uses): string[] {
  const markers: string[] = [];
  const rest: Record<string, unknown> = {};
  const say = (name: string, ...values: unknown[]): void => {
    uses.add(name);
    markers.push(`@${name}(${values.map(literal).join(", ")})`);
  };
  for (const [name, value] of Object.entries(schema) as [keyof Schema, unknown][]) {
    const simple = SIMPLE[name];
    const target = on === "keyed array" ? "array" : on;
    if (simple && (simple[0] === "any" || simple[0] === target)) say(simple[1], value);
    else if (!isSaid(name, schema, on, say)) rest[name] = value;
  }
  if (Object.keys(rest).length > 0) say("AddSchema", rest);
  return markers;
}

/** Writes a keyword that has a marker of its own form; false when there is none for it here. */
function isSaid(
  name: keyof Schema,
  schema: Schema,
  on: Carrier,
  say: (name: string, ...values: unknown[]) => void,
): boolean {
  switch (name) {
    case "minimum":
    case "maximum": {
      if (on !== "number") return false;
      const word = name === "minimum" ? "Minimum" : "Maximum";
      say(schema[`exclusive${word}`] ? `Exclusive${word}` : word, schema[name]);
      return true;
    }
    case "exclusiveMinimum":
      return on === "number" && schema.exclusiveMinimum === true && schema.minimum !== undefined;
    case "exclusiveMaximum":
      return on === "number" && schema.exclusiveMaximum === true && schema.maximum !== undefined;
    case "format":
      if (on !== "string" || !TEXT_FORMATS.has(schema.format ?? "")) return false;
      say("Format", schema.format);
      return true;
    case "x-kubernetes-preserve-unknown-fields":
      say("PreserveUnknownFields");
      return true;
    case "x-kubernetes-embedded-resource":
      if (on !== "object") return false;
      say("EmbeddedResource");
      return true;
    case "x-kubernetes-map-type":
      if (on !== "object") return false;
      say(schema[name] === "atomic" ? "Atomic" : "Granular");
      return true;
    case "x-kubernetes-list-type":
      if (on !== "array" && on !== "keyed array") return false;
      if (schema[name] === "set") say("ListSet");
      else if (schema[name] === "atomic") say("ListAtomic");
      else if (on === "keyed array") say("ListMap", ...(schema[KEYS] ?? []));
      else return false;
      return true;
    case KEYS:
      return on === "keyed array" && schema["x-kubernetes-list-type"] === "map";
    case "x-kubernetes-validations":
      schema[name]?.forEach((rule) => sayRule(rule, say));
      return true;
    default:
      return false;
  }
}

function sayRule(
  { rule, ...more }: ValidationRule,
  say: (name: string, ...values: unknown[]) => void,
): void {
  if (Object.keys(more).length > 0) say("Cel", rule, more);
  else say("Cel", rule);
}
