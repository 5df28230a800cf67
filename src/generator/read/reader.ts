/**
 * What every part of the reading needs.
 *
 * @module
 */
import type { Findings } from "../findings.ts";
import type { ts } from "../load.ts";
import type { TypeModel } from "../model.ts";
import type { Declaration, Module } from "./module.ts";
import type { Modules } from "./modules.ts";

/** The files, and the list of what is wrong with them. */
export interface Reader {
  readonly modules: Modules;
  readonly findings: Findings;
  /** Reads a type. Members hold types and types hold members; this is how they meet. */
  readonly readType: (reader: Reader, node: ts.TypeNode, scope: Scope, trail: Trail) => TypeModel;
}

/** The declarations that are being read, outermost first: a type inside itself has no schema. */
export type Trail = readonly Declaration[];

/** Where a type is read: its file, and what the type parameters in sight stand for. */
export interface Scope {
  readonly module: Module;
  readonly parameters: ReadonlyMap<string, TypeArgument>;
}

/** A type argument, in the scope in which it was written and inside of what it was written. */
export interface TypeArgument {
  readonly node: ts.TypeNode;
  readonly scope: Scope;
  readonly trail: Trail;
}

/** The scope of a file's top level. */
export const topScope = (module: Module): Scope => ({ module, parameters: new Map() });

/** Notes an error at a node. */
export function complain(
  reader: Reader,
  module: Module,
  node: ts.Node,
  code: string,
  message: string,
  fix: string,
): void {
  reader.findings.error(reader.modules.at(module, node), code, message, fix);
}
