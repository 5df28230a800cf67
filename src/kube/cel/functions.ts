/** Declarations of functions by libraries. */
import type { CelType } from "./types.ts";
import type { CelError, CelValue } from "./values.ts";

/** The implementation of a function. Arguments are never errors, unless the overload is lenient. */
export type Implementation = (...args: CelValue[]) => CelValue | CelError;

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /**
   * Absent where the function has one implementation for all overloads, or the evaluator knows it.
   */
  readonly run?: Implementation | undefined;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all overloads. */
  readonly run?: Implementation;
  /** Whether `run` takes a first argument; it takes all when absent. */
  readonly accepts?: (value: CelValue) => boolean;
  /** Whether arguments are not compared with the overload's types at run time. */
  readonly unguarded?: boolean;
}

export const functionOf = (name: string, ...overloads: Overload[]): FunctionDeclaration => ({
  name,
  overloads,
});

/** A function called as `name(args)`. */
export const overload = (
  id: string,
  args: readonly CelType[],
  result: CelType,
  run?: Implementation,
): Overload => ({ id, member: false, args, result, run });

/** A function called as `target.name(args)`. */
export const member = (
  id: string,
  args: readonly CelType[],
  result: CelType,
  run?: Implementation,
): Overload => ({ id, member: true, args, result, run });

/**
 * The functions under their names; overloads of the same name from several libraries are joined.
 */
export function functionTable(
  declarations: readonly FunctionDeclaration[],
): ReadonlyMap<string, FunctionDeclaration> {
  const table = new Map<string, FunctionDeclaration>();
  for (const declaration of declarations) {
    const known = table.get(declaration.name);
    table.set(
      declaration.name,
      known
        ? { ...known, ...declaration, overloads: [...known.overloads, ...declaration.overloads] }
        : declaration,
    );
  }
  return table;
}
