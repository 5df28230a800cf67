/** The class that answers a webhook: which methods it has, its own and inherited ones. */
import { ts } from "../load.ts";
import type { HandlerModel } from "../model.ts";
import type { Module } from "./code/module.ts";
import type { Reader } from "./code/reader.ts";

/** Reads a class with the marker of a webhook. */
export function readHandler(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): HandlerModel {
  const methods = methodsOf(reader, module, node, []);
  return {
    name: node.name?.text ?? "the class",
    ...(methods ? { methods } : {}),
    readsDryRun: module.file.text.includes("dryRun"),
  };
}

/** The names of methods; `undefined` where a name is computed, or what the class extends is not in the project. */
function methodsOf(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
  above: readonly ts.ClassDeclaration[],
): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { name } of node.members) {
    if (!name) continue;
    if (ts.isComputedPropertyName(name)) return undefined;
    names.add(name.text);
  }
  const base = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const [extended] = base?.types ?? [];
  if (!extended) return names;
  const found = ts.isIdentifier(extended.expression)
    ? reader.modules.resolve(module, extended.expression.text)
    : undefined;
  if (found?.is !== "declaration" || !ts.isClassDeclaration(found.node)) return undefined;
  if (found.node === node || above.includes(found.node)) return undefined;
  const inherited = methodsOf(reader, found.module, found.node, [...above, node]);
  return inherited && new Set([...inherited, ...names]);
}
