/** The tools that every part of the reading needs. */
import { Findings } from "../../findings.ts";
import type { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import type { Declaration, Module } from "./module.ts";
import type { Modules } from "./modules.ts";

/** The files, and the list of what is wrong with them. */
export interface Reader {
  readonly modules: Modules;
  readonly findings: Findings;
  /** Reads a type. Members hold types and types hold members; this port joins the two. */
  readonly readType: (reader: Reader, node: ts.TypeNode, module: Module, trail: Trail) => TypeModel;
  /** Reads a declared type without type parameters. */
  readonly readDeclared: (reader: Reader, found: Found) => TypeModel;
  /** Asks the type checker. */
  readonly readChecked: (
    reader: Reader,
    node: CheckedNode,
    module: Module,
    trail: Trail,
  ) => TypeModel;
  /**
   * How many types were read for the kind at hand, how many constants are being read of which each is made of the next,
   * and where it is.
   */
  readonly size: { types: number; constants: number; kind: string; at: Position };
  /** The values of the parameters of a decorator of the user's own, while its markers are read. */
  readonly bindings?: ReadonlyMap<string, unknown>;
}

/** A declaration that was found, and the way to it. */
export interface Found {
  readonly node: Declaration;
  readonly module: Module;
  readonly trail: Trail;
  /** The node that names it, for what is to be said of it. */
  readonly from: ts.Node;
  readonly in: Module;
}

/** The nodes that the checker can be asked for: a type, or a field without one. */
export type CheckedNode = ts.TypeNode | ts.PropertyDeclaration | ts.ParameterDeclaration;

/** The declarations that are being read, outermost first: a type inside itself has no schema. */
export type Trail = readonly Declaration[];

/** A node and the file that it is in. */
export interface Place {
  readonly module: Module;
  readonly node: ts.Node;
}

/** Notes an error at a node. */
export function complain(
  reader: Reader,
  { module, node }: Place,
  code: string,
  message: string,
  fix: string,
): void {
  reader.findings.error(reader.modules.at(module, node), code, message, fix);
}

/** Reads with findings of its own, which the caller keeps or drops. */
export function attempt<T>(
  reader: Reader,
  read: (inner: Reader) => T,
): { readonly result: T; readonly findings: Findings } {
  const findings = new Findings();
  return { result: read({ ...reader, findings }), findings };
}

/**
 * The limit of parts: no schema that an API server takes has as many. The shortest of them make
 * more than 1.5 MiB.
 */
const MOST_TYPES = 100_000;

/**
 * A type with too many parts. Types that refer to each other grow with each level: 25 levels of two
 * fields each are 33 million parts.
 */
export class TooLarge extends Error {
  readonly kind: string;
  readonly at: Position;
  readonly most = MOST_TYPES;

  constructor({ kind, at }: Reader["size"]) {
    super(`${kind} is too large`);
    this.kind = kind;
    this.at = at;
  }
}

/** Counts types that are read. @throws TooLarge */
export function count({ size }: Reader, types = 1): void {
  size.types += types;
  if (size.types > MOST_TYPES) throw new TooLarge(size);
}
