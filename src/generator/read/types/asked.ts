/** Questions to the type checker, and the errors that end them. */
import type { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import type { Module } from "../code/module.ts";
import type { Reader, Trail } from "../code/reader.ts";

/** A question to the checker: which node it is about, and what is being read on the way to it. */
export interface Asked {
  readonly reader: Reader;
  readonly checker: ts.TypeChecker;
  readonly module: Module;
  readonly node: ts.Node;
  readonly trail: Trail;
  readonly at: Position;
  /** The object types that are being read, outermost first. */
  readonly within: readonly ts.Type[];
  /**
   * Reads a type that the checker computed. Objects hold types and types are objects; this port
   * joins the two.
   */
  readonly modelOf: (asked: Asked, type: ts.Type) => TypeModel;
}

/** A type that the checker computed and that has no schema. */
export class NoSchema extends Error {
  readonly code: string;
  readonly fix: string;

  constructor(code: string, message: string, fix: string) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}
