/**
 * Whether an object has the shape of its schema, as far as ownership needs it: declared fields, scalar types,
 * list maps and sets that can be told apart.
 *
 * @module
 */
import { isNumeric } from "../../kube/go-number.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { printSource, printType, printValue } from "./go-print.ts";
import { printElement } from "./path-element.ts";
import { type NodeType, fieldType, formOf, itemElement, itemType, listKeys } from "./topology.ts";

/** Something that does not fit the schema; the path is empty for the object itself. */
export interface Misfit {
  readonly path: string;
  readonly message: string;
}

/** The misfits as one message. */
export function printMisfits(misfits: readonly Misfit[]): string {
  const lines = misfits.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return lines.length === 1
    ? (lines[0] ?? "")
    : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}

/** What keeps a value from being a scalar of the type; `prefix` stands before the message. */
export function scalarMisfit(schema: Schema, value: unknown, prefix = ""): Misfit | undefined {
  if (value === undefined || value === null) return undefined;
  const misfit = (message: string): Misfit => ({ path: "", message: prefix + message });
  switch (schema.type) {
    case "integer":
    case "number":
      return isNumeric(value)
        ? undefined
        : misfit(`expected numeric (int or float), got ${printType(value)}`);
    case "boolean":
      return typeof value === "boolean"
        ? undefined
        : misfit(`expected boolean, got &{${printValue(value)}}`);
    case "string":
      // A string with a format may be written otherwise, as quantities and times are.
      if (schema.format === undefined || schema.format === "" || schema.format === "byte") {
        return typeof value === "string"
          ? undefined
          : misfit(`expected string, got &value.valueUnstructured{Value:${printSource(value)}}`);
      }
      break;
    case "array":
    case "object":
    case undefined:
      break;
  }
  return typeof value === "object"
    ? misfit(`expected any scalar, got &{${printValue(value)}}`)
    : undefined;
}

/**
 * Everything in `value` that does not fit the type.
 *
 * @param allowDuplicates - list maps and sets may hold items twice, as stored objects do
 */
export function findMisfits(type: NodeType, value: unknown, allowDuplicates: boolean): Misfit[] {
  const found: Misfit[] = [];
  visit(type, value, allowDuplicates, "", found);
  return found;
}

function visit(
  type: NodeType,
  value: unknown,
  allowDuplicates: boolean,
  path: string,
  found: Misfit[],
): void {
  switch (formOf(type, value)) {
    case "scalar": {
      const misfit = scalarMisfit(type.schema, value);
      if (misfit) found.push({ path, message: misfit.message });
      break;
    }
    case "map":
      if (isJsonObject(value)) visitMap(type, value, allowDuplicates, path, found);
      else if (value !== null) {
        found.push({ path, message: `expected map, got &{${printValue(value)}}` });
      }
      break;
    case "list":
      if (Array.isArray(value)) visitList(type, value, allowDuplicates, path, found);
      else if (value !== null) {
        found.push({ path, message: `expected list, got &{${printValue(value)}}` });
      }
      break;
  }
}

function visitMap(
  type: NodeType,
  map: Record<string, unknown>,
  allowDuplicates: boolean,
  path: string,
  found: Misfit[],
): void {
  for (const key of Object.keys(map)) {
    const child = fieldType(type, key);
    if (!child) {
      found.push({ path: `${path}.${key}`, message: "field not declared in schema" });
      return;
    }
    const value = map[key];
    // Texts are most of an object: no path is built for the ones that fit.
    if (typeof value === "string" && child.schema.type === "string") continue;
    visit(child, value, allowDuplicates, `${path}.${key}`, found);
  }
}

function visitList(
  type: NodeType,
  list: readonly unknown[],
  allowDuplicates: boolean,
  path: string,
  found: Misfit[],
): void {
  const keys = listKeys(type);
  const items = itemType(type);
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if (!keys) {
      visit(items, item, allowDuplicates, `${path}[${index}]`, found);
      continue;
    }
    const known = itemElement(type, keys, item);
    if ("mistake" in known) {
      found.push({ path, message: `element ${index}: ${known.mistake}` });
      return;
    }
    const printed = printElement(known.element);
    if (seen.has(known.element) && !allowDuplicates) {
      found.push({ path, message: `duplicate entries for key ${printed}` });
    }
    seen.add(known.element);
    visit(items, item, allowDuplicates, path + printed, found);
  }
}
