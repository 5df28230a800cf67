/**
 * Checks that an object has the shape of its schema, as far as ownership needs it: declared fields,
 * scalar types, and list maps and sets whose items can be told apart.
 */
import { isNumeric } from "../../kube/text/go-number.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { printSource, printType, printValue } from "../builtin/go/print.ts";
import { type PathElement, fieldElement, printElement } from "./path-element.ts";
import { type NodeType, fieldOf, formOf, itemElement, itemType, listKeys } from "./topology.ts";

/** A mismatch with the schema; the path is empty for the object itself. */
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

/** The misfit of a value that is not a scalar of the type; `prefix` is put before the message. */
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
      // A string with a format may have another JSON type, as quantities and times do.
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
  // A type that OpenAPI leaves open is read later, and refused there.
  return typeof value === "object" && schema.format !== "int-or-string"
    ? misfit(`expected any scalar, got &{${printValue(value)}}`)
    : undefined;
}

/**
 * Finds everything in `value` that does not fit the type.
 *
 * @param allowDuplicates - list maps and sets may have duplicate items, as those of stored
 *   objects may
 */
export function findMisfits(type: NodeType, value: unknown, allowDuplicates: boolean): Misfit[] {
  const walk = new FitWalk(allowDuplicates);
  walk.visit(type, value);
  return walk.found;
}

class FitWalk {
  readonly found: Misfit[] = [];
  readonly #allowDuplicates: boolean;
  readonly #path: PathElement[] = [];

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates;
  }

  visit(type: NodeType, value: unknown): void {
    switch (formOf(type, value)) {
      case "scalar": {
        const misfit = scalarMisfit(type.schema, value);
        if (misfit) this.#add(misfit.message);
        break;
      }
      case "map":
        if (isJsonObject(value)) this.#visitMap(type, value);
        else if (value !== null) this.#add(`expected map, got &{${printValue(value)}}`);
        break;
      case "list":
        if (Array.isArray(value)) this.#visitList(type, value);
        else if (value !== null) this.#add(`expected list, got &{${printValue(value)}}`);
        break;
    }
  }

  #add(message: string): void {
    this.found.push({ path: this.#path.map(printElement).join(""), message });
  }

  #below(element: PathElement, type: NodeType, value: unknown): void {
    this.#path.push(element);
    this.visit(type, value);
    this.#path.pop();
  }

  #visitMap(type: NodeType, map: Record<string, unknown>): void {
    for (const key of Object.keys(map)) {
      const field = fieldOf(type, key);
      if (!field) {
        this.#path.push(fieldElement(key));
        this.#add("field not declared in schema");
        this.#path.pop();
        return;
      }
      const value = map[key];
      // A shortcut for strings, which make up most of an object.
      if (typeof value === "string" && field.type.schema.type === "string") continue;
      this.#below(field.element, field.type, value);
    }
  }

  #visitList(type: NodeType, list: readonly unknown[]): void {
    const keys = listKeys(type);
    const items = itemType(type);
    const seen = this.#allowDuplicates ? undefined : new Set<string>();
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      if (!keys) {
        this.#below(`i:${index}`, items, item);
        continue;
      }
      const known = itemElement(type, keys, item);
      if ("mistake" in known) {
        this.#add(`element ${index}: ${known.mistake}`);
        return;
      }
      if (seen?.has(known.element)) {
        this.#add(`duplicate entries for key ${printElement(known.element)}`);
      }
      seen?.add(known.element);
      this.#below(known.element, items, item);
    }
  }
}
