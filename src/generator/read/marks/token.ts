/** Expressions and types that stand for a kind. */
import { pluralOf } from "../../../kube/plural.ts";
import { ts } from "../../load.ts";
import { evaluate } from "../code/evaluate.ts";
import { decorationsOf } from "./marks.ts";
import type { Module } from "../code/module.ts";
import type { Found } from "../code/modules.ts";
import type { Reader } from "../code/reader.ts";

/** The resource that a token names. */
export interface TokenModel {
  readonly group: string;
  readonly plural: string;
  readonly version?: string;
  readonly kind?: string;
  /** Whether its metadata alone is meant: `metadataOf(Secret)`. */
  readonly partial?: boolean;
}

/** The resource that a token stands for: a class with `@Resource`, or a value whose type says it. */
export function tokenOf(
  reader: Reader,
  module: Module,
  node: ts.Expression,
): TokenModel | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const namespace = reader.modules.resolve(module, node.expression.text);
    if (namespace?.is !== "namespace") return undefined;
    return declaredToken(reader, reader.modules.resolveIn(namespace, node.name.text));
  }
  if (!ts.isIdentifier(node)) return undefined;
  const found = reader.modules.resolve(module, node.text);
  return (
    declaredToken(reader, found) ??
    (found?.is === "declaration" ? constantToken(reader, module, node) : undefined)
  );
}

/** The resource that a declaration stands for: a class with `@Resource`, or a built-in kind. */
export function declaredToken(reader: Reader, found: Found | undefined): TokenModel | undefined {
  if (found?.is !== "declaration") return undefined;
  const { node, module } = found;
  if (ts.isClassDeclaration(node)) return classToken(reader, module, node);
  return builtInToken(module, node.name?.getText(module.file) ?? "");
}

function classToken(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): TokenModel | undefined {
  const resource = decorationsOf(reader, module, node).find(({ name }) => name === "Resource");
  const [argument] = resource?.call.arguments ?? [];
  const value = argument && evaluate(reader, module, argument);
  if (typeof value !== "object" || value === null) return undefined;
  const said = value as Record<string, unknown>;
  const { group, version, kind = node.name?.text ?? "", plural } = said;
  return {
    group: String(group),
    version: String(version),
    kind: String(kind),
    plural: typeof plural === "string" ? plural : pluralOf(String(kind)),
  };
}

/** The type of a built-in token: `KnownKind<Deployment, "apps", "v1", "Deployment", "deployments", true>`. */
function builtInToken(module: Module, name: string): TokenModel | undefined {
  if (!module.builtIn) return undefined;
  const declared = new RegExp(
    `const ${name}: KnownKind<\\s*\\w+,\\s*"([^"]*)",\\s*"([^"]*)",\\s*"([^"]*)",\\s*"([^"]*)"`,
  );
  const match = declared.exec(module.file.text);
  if (!match) return undefined;
  const [, group = "", version = "", kind = "", plural = ""] = match;
  return { group, version, kind, plural };
}

/** A constant that is written out: `const Widget = { group: "...", plural: "widgets", ... } as const`. */
function constantToken(
  reader: Reader,
  module: Module,
  node: ts.Expression,
): TokenModel | undefined {
  const value = evaluate(reader, module, node);
  if (typeof value !== "object" || value === null) return undefined;
  const { group, plural, version, kind } = value as Record<string, unknown>;
  if (typeof group !== "string" || typeof plural !== "string") return undefined;
  const more = typeof version === "string" && typeof kind === "string" ? { version, kind } : {};
  return { group, plural, ...more };
}
