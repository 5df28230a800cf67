/**
 * The options of `@Resource`, as they were written.
 *
 * @module
 */
import { ts } from "../load.ts";
import type { Position } from "../model.ts";
import { didYouMean } from "../nearest-name.ts";
import { evaluate } from "./evaluate.ts";
import type { Module } from "./module.ts";
import { type Reader, complain } from "./reader.ts";

type OptionType = "string" | "boolean" | "strings" | "map" | "text or boolean" | "object";

const OPTIONS: Readonly<Record<string, OptionType>> = {
  group: "string",
  version: "string",
  kind: "string",
  plural: "string",
  singular: "string",
  listKind: "string",
  shortNames: "strings",
  categories: "strings",
  scope: "string",
  storage: "boolean",
  served: "boolean",
  deprecated: "text or boolean",
  statusSubresource: "boolean",
  annotations: "map",
  labels: "map",
  conversion: "object",
};

/** The options of `@Resource` as they were written, with their places. */
export interface ResourceCall {
  readonly values: Readonly<Record<string, unknown>>;
  readonly saidAt: ReadonlyMap<string, Position>;
}

/** Reads the argument of `@Resource`; what is wrong with it is noted. */
export function readResource(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
): ResourceCall | undefined {
  const [argument] = call.arguments;
  const value = argument && evaluate(reader, module, argument);
  if (!argument || typeof value !== "object" || value === null) {
    complain(
      reader,
      module,
      argument ?? call,
      "resource-needs-options",
      "@Resource takes an object of constant options.",
      'Write @Resource({ group: "shop.example.com", version: "v1" }).',
    );
    return undefined;
  }
  const values = value as Record<string, unknown>;
  const saidAt = new Map<string, Position>();
  if (ts.isObjectLiteralExpression(argument)) {
    for (const property of argument.properties) {
      const name = property.name?.getText(module.file).replace(/^["']|["']$/g, "");
      if (name !== undefined) saidAt.set(name, reader.modules.at(module, property));
    }
  }
  const at = (name: string): Position => saidAt.get(name) ?? reader.modules.at(module, call);
  for (const [name, given] of Object.entries(values)) {
    const wanted = OPTIONS[name];
    if (wanted === undefined) {
      reader.findings.error(
        at(name),
        "unknown-option",
        `@Resource has no option ${name}.`,
        didYouMean(name, Object.keys(OPTIONS), `It takes ${Object.keys(OPTIONS).join(", ")}.`),
      );
    } else if (!isOfType(given, wanted)) {
      reader.findings.error(
        at(name),
        "wrong-option",
        `The option ${name} of @Resource is a ${wanted}, got ${JSON.stringify(given)}.`,
        `Give it a ${wanted}.`,
      );
    }
  }
  for (const name of ["group", "version"]) {
    if (values[name] !== undefined) continue;
    reader.findings.error(
      at(""),
      "missing-option",
      `@Resource needs the option ${name}.`,
      name === "group" ? 'Add group: "shop.example.com".' : 'Add version: "v1".',
    );
  }
  const { scope } = values;
  if (scope !== undefined && !isScope(scope)) {
    reader.findings.error(
      at("scope"),
      "wrong-option",
      `The scope is Namespaced or Cluster, got ${JSON.stringify(scope)}.`,
      didYouMean(
        typeof scope === "string" ? scope : "",
        ["Namespaced", "Cluster"],
        "Write one of the two.",
      ),
    );
  }
  return { values, saidAt };
}

const isScope = (value: unknown): boolean => value === "Namespaced" || value === "Cluster";

function isOfType(value: unknown, type: OptionType): boolean {
  switch (type) {
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "map":
      return (
        typeof value === "object" &&
        value !== null &&
        Object.values(value).every((item) => typeof item === "string")
      );
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "text or boolean":
      return typeof value === "string" || typeof value === "boolean";
    case "string":
    case "boolean":
      return typeof value === type;
  }
}
