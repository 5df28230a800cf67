/** Questions to the type checker, and the errors that end them. */
import { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import type { Declaration, Module } from "../code/module.ts";
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

/** A type as it is declared, where its names are those of its file; `undefined` within a function or a namespace. */
export function readAsDeclared(
  { reader, trail, node: from, module: within }: Asked,
  node: Declaration,
): TypeModel | undefined {
  const file = node.getSourceFile();
  const asked = { trail, from, in: within };
  const builtIn = node.name && reader.modules.builtInAt(file.fileName, node.name.getText());
  if (builtIn?.is === "declaration") return reader.readDeclared(reader, { ...builtIn, ...asked });
  if (isLibraryFile(file.fileName)) return undefined;
  const module = reader.modules.get(file.fileName);
  return module.file === file && ts.isSourceFile(node.parent)
    ? reader.readDeclared(reader, { node, module, ...asked })
    : undefined;
}

/** Whether a file declares the language or Node. */
export const isLibraryFile = (path: string): boolean =>
  /[/\\]typescript[/\\]lib[/\\]lib\.|[/\\]@types[/\\]node[/\\]/.test(path);
