/** The options of `@Resource`, as they were written. */
import type { ts } from "../../load.ts";
import type { Module } from "../code/module.ts";
import { type OptionTable, readOptions, type SaidOptions } from "./options.ts";
import { type Reader, complain } from "../code/reader.ts";

const OPTIONS: OptionTable = {
  group: "string",
  version: "string",
  kind: "string",
  plural: "string",
  singular: "string",
  listKind: "string",
  shortNames: "strings",
  categories: "strings",
  scope: ["Namespaced", "Cluster"],
  storage: "boolean",
  served: "boolean",
  deprecated: "text or boolean",
  statusSubresource: "boolean",
  userRoles: ["separate", "aggregated"],
  annotations: "map",
  labels: "map",
  descriptions: "number or boolean",
  conversion: "object or false",
  external: "boolean",
};

/** The options that are left for a kind whose CRD is somebody else's. */
const OF_EXTERNAL = new Set(["group", "version", "kind", "plural", "scope", "external"]);

/** Reads the argument of `@Resource`, and notes mistakes in it. */
export function readResource(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
): SaidOptions | undefined {
  const [argument] = call.arguments;
  const said = argument && readOptions(reader, module, argument, "@Resource", OPTIONS);
  if (!said) {
    complain(
      reader,
      { module, node: argument ?? call },
      "resource-needs-options",
      "@Resource takes an object of constant options.",
      'Write @Resource({ group: "shop.example.com", version: "v1" }).',
    );
    return undefined;
  }
  for (const name of ["group", "version"]) {
    if (said.values[name] !== undefined) continue;
    complain(
      reader,
      { module, node: call },
      "missing-option",
      `@Resource needs the option ${name}.`,
      name === "group" ? 'Add group: "shop.example.com".' : 'Add version: "v1".',
    );
  }
  if (said.values["external"] === true) {
    for (const [name, position] of said.saidAt) {
      if (OF_EXTERNAL.has(name) || !(name in OPTIONS)) continue;
      reader.findings.error(
        position,
        "external-option",
        `The option ${name} of @Resource configures a CRD, but this CRD is external (external: true).`,
        `Remove ${name}, or remove external: true when the CRD is generated here.`,
      );
    }
  }
  return said;
}
