/** The options of a marker: an object of constants whose keys and types are known. */
import { ts } from "../../load.ts";
import type { Position } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { evaluate } from "../code/evaluate.ts";
import type { Module } from "../code/module.ts";
import type { Reader } from "../code/reader.ts";

/** The type of an option: a type, or one of several texts. */
type OptionType =
  | "string"
  | "number"
  | "boolean"
  | "strings"
  | "map"
  | "text or boolean"
  | "number or boolean"
  | "object"
  | "object or false"
  | "objects"
  | readonly string[];

/** The options of a marker by name. */
export type OptionTable = Readonly<Record<string, OptionType>>;

/** Options as they are written, with their places. */
export interface SaidOptions {
  readonly values: Readonly<Record<string, unknown>>;
  readonly saidAt: ReadonlyMap<string, Position>;
}

/**
 * Reads options, and notes mistakes in them.
 *
 * @param shown - the marker, as the user reads it: `@Resource`
 * @returns `undefined` when `node` is not an object of constants, of which nothing is noted
 */
export function readOptions(
  reader: Reader,
  module: Module,
  node: ts.Expression,
  shown: string,
  table: OptionTable,
): SaidOptions | undefined {
  const value = evaluate(reader, module, node);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const values = value as Record<string, unknown>;
  const saidAt = new Map<string, Position>();
  if (ts.isObjectLiteralExpression(node)) {
    for (const property of node.properties) {
      const name = property.name?.getText(module.file).replace(/^["']|["']$/g, "");
      if (name !== undefined) saidAt.set(name, reader.modules.at(module, property));
    }
  }
  for (const [name, given] of Object.entries(values)) {
    const at = saidAt.get(name) ?? reader.modules.at(module, node);
    const wanted = table[name];
    if (wanted === undefined) {
      reader.findings.error(
        at,
        "unknown-option",
        `${shown} has no option ${name}.`,
        didYouMean(name, Object.keys(table), `It takes ${Object.keys(table).join(", ")}.`),
      );
    } else if (given !== undefined && !isOfType(given, wanted)) {
      const says = typeof wanted === "string" ? ARTICLES[wanted] : wanted.join(" or ");
      reader.findings.error(
        at,
        "wrong-option",
        `The option ${name} of ${shown} is ${says}, got ${JSON.stringify(given)}.`,
        typeof wanted === "string" || typeof given !== "string"
          ? `Give it ${says}.`
          : didYouMean(given, wanted, `Write ${says}.`),
      );
    }
  }
  return { values, saidAt };
}

const ARTICLES: Readonly<Record<Extract<OptionType, string>, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  strings: "a list of strings",
  map: "an object of strings",
  "text or boolean": "a string or a boolean",
  "number or boolean": "a number, true or false",
  object: "an object",
  "object or false": "an object, or false",
  objects: "a list of objects",
};

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOfType(value: unknown, type: OptionType): boolean {
  switch (type) {
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "map":
      return isObject(value) && Object.values(value as object).every(isText);
    case "object":
      return isObject(value);
    case "object or false":
      return isObject(value) || value === false;
    case "objects":
      return Array.isArray(value) && value.every(isObject);
    case "text or boolean":
      return typeof value === "string" || typeof value === "boolean";
    case "number or boolean":
      return typeof value === "number" || typeof value === "boolean";
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return typeof value === "string" && type.includes(value);
  }
}

const isText = (value: unknown): boolean => typeof value === "string";
