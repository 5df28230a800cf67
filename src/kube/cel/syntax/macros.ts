/**
 * Macros: calls that become loops, tests and conditions while the text is read.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
 */
import { type ComprehensionExpr, copyExpr, type Expr } from "../expression.ts";
import type { CelValue } from "../values.ts";

/** The variable in which a loop collects its result. */
export const ACCUMULATOR = "@result";
const OLD_ACCUMULATOR = "__result__";
const UNUSED = "#unused";

/** Thrown for arguments that a macro cannot use. */
export class MacroError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** A macro; `at` is the position of the arguments. */
export interface Macro {
  readonly name: string;
  readonly argCount: number;
  readonly receiver: boolean;
  /** @throws MacroError */
  expand(at: number, args: readonly Expr[], target: Expr | undefined): Expr;
}

const literal = (at: number, value: CelValue): Expr => ({ kind: "literal", at, value });
const ident = (at: number, name: string): Expr => ({ kind: "ident", at, name });
const list = (at: number, ...items: Expr[]): Expr => ({
  kind: "list",
  at,
  items: items.map((value) => ({ value, optional: false })),
});
const call = (at: number, name: string, ...args: Expr[]): Expr => ({
  kind: "call",
  at,
  name,
  target: undefined,
  args,
});
const memberCall = (at: number, name: string, target: Expr, ...args: Expr[]): Expr => ({
  kind: "call",
  at,
  name,
  target,
  args,
});

/** The argument at that index; the parser has counted them. */
const argument = (args: readonly Expr[], index: number): Expr => args[index] as Expr;

function variableName(expr: Expr, message: string): string {
  if (expr.kind !== "ident") throw new MacroError(expr.at, message);
  return expr.name;
}

function loopVariable(expr: Expr, message: string): string {
  const name = variableName(expr, message);
  refuseAccumulator(expr, name);
  return name;
}

function refuseAccumulator(expr: Expr, name: string): void {
  if (name === ACCUMULATOR || name === OLD_ACCUMULATOR) {
    throw new MacroError(expr.at, "iteration variable overwrites accumulator variable");
  }
}

/** The parts of a loop except its range and variables. */
type Loop = Pick<ComprehensionExpr, "start" | "condition" | "step" | "result">;

function all(at: number, predicate: Expr): Loop {
  const result = (): Expr => ident(at, ACCUMULATOR);
  return {
    start: literal(at, true),
    condition: call(at, "@not_strictly_false", result()),
    step: call(at, "_&&_", result(), predicate),
    result: result(),
  };
}

function exists(at: number, predicate: Expr): Loop {
  const result = (): Expr => ident(at, ACCUMULATOR);
  return {
    start: literal(at, false),
    condition: call(at, "@not_strictly_false", call(at, "!_", result())),
    step: call(at, "_||_", result(), predicate),
    result: result(),
  };
}

function existsOne(at: number, predicate: Expr): Loop {
  const result = (): Expr => ident(at, ACCUMULATOR);
  return {
    start: literal(at, 0n),
    condition: literal(at, true),
    step: call(at, "_?_:_", predicate, call(at, "_+_", result(), literal(at, 1n)), result()),
    result: call(at, "_==_", result(), literal(at, 1n)),
  };
}

/** Collects the results of `step` on the collection so far, where `filter` holds. */
function collect(at: number, start: Expr, step: Expr, filter: Expr | undefined): Loop {
  const result = (): Expr => ident(at, ACCUMULATOR);
  return {
    start,
    condition: literal(at, true),
    step: filter ? call(at, "_?_:_", filter, step, result()) : step,
    result: result(),
  };
}

const appended = (at: number, item: Expr): Expr =>
  call(at, "_+_", ident(at, ACCUMULATOR), list(at, item));

function loop(
  at: number,
  range: Expr | undefined,
  variable: string,
  secondVariable: string | undefined,
  parts: Loop,
): Expr {
  return {
    kind: "comprehension",
    at,
    range: range as Expr,
    variable,
    secondVariable,
    accumulator: ACCUMULATOR,
    ...parts,
  };
}

/** Binds `value` to a name while `result` is evaluated, as `cel.bind` would. */
function bind(at: number, name: string, value: Expr, result: Expr): Expr {
  return {
    kind: "comprehension",
    at,
    range: list(at),
    variable: UNUSED,
    secondVariable: undefined,
    accumulator: name,
    start: value,
    condition: literal(at, false),
    step: ident(at, name),
    result,
  };
}

const receiver = (name: string, argCount: number, expand: Macro["expand"]): Macro => ({
  name,
  argCount,
  receiver: true,
  expand,
});

const SIMPLE_NAME = "argument must be a simple name";
const IDENTIFIER = "argument is not an identifier";

const quantifier = (name: string, parts: (at: number, predicate: Expr) => Loop): Macro =>
  receiver(name, 2, (at, args, target) => {
    const variable = loopVariable(argument(args, 0), SIMPLE_NAME);
    return loop(at, target, variable, undefined, parts(at, argument(args, 1)));
  });

function expandMap(at: number, args: readonly Expr[], target: Expr | undefined): Expr {
  const variable = loopVariable(argument(args, 0), IDENTIFIER);
  const filter = args.length === 3 ? argument(args, 1) : undefined;
  const step = appended(at, argument(args, args.length - 1));
  return loop(at, target, variable, undefined, collect(at, list(at), step, filter));
}

/** has, all, exists, exists_one, map and filter. */
export const standardMacros: readonly Macro[] = [
  {
    name: "has",
    argCount: 1,
    receiver: false,
    expand: (at: number, args: readonly Expr[]): Expr => {
      const path = argument(args, 0);
      if (path.kind !== "select") throw new MacroError(path.at, "invalid argument to has() macro");
      return { kind: "select", at, operand: path.operand, field: path.field, test: true };
    },
  },
  quantifier("all", all),
  quantifier("exists", exists),
  quantifier("exists_one", existsOne),
  receiver("map", 2, expandMap),
  receiver("map", 3, expandMap),
  receiver("filter", 2, (at, args, target) => {
    const variable = argument(args, 0);
    const name = loopVariable(variable, IDENTIFIER);
    const parts = collect(at, list(at), appended(at, variable), argument(args, 1));
    return loop(at, target, name, undefined, parts);
  }),
];

/**
 * A macro over both keys and values; `make` gets the key's name and the arguments after the names.
 */
const twoVariables = (
  name: string,
  argCount: number,
  make: (at: number, rest: readonly Expr[], key: string) => Loop,
): Macro =>
  receiver(name, argCount, (at, args, target) => {
    const first = argument(args, 0);
    const second = argument(args, 1);
    const key = variableName(first, SIMPLE_NAME);
    const value = variableName(second, SIMPLE_NAME);
    if (key === value) throw new MacroError(second.at, `duplicate variable name: ${key}`);
    refuseAccumulator(first, key);
    refuseAccumulator(second, value);
    return loop(at, target, key, value, make(at, args.slice(2), key));
  });

const last = (rest: readonly Expr[]): Expr => argument(rest, rest.length - 1);
const filterOf = (rest: readonly Expr[]): Expr | undefined =>
  rest.length === 2 ? rest[0] : undefined;
const emptyMap = (at: number): Expr => ({ kind: "map", at, entries: [] });

function transformList(at: number, rest: readonly Expr[]): Loop {
  return collect(at, list(at), appended(at, last(rest)), filterOf(rest));
}

function transformMap(at: number, rest: readonly Expr[], key: string): Loop {
  const step = call(at, "cel.@mapInsert", ident(at, ACCUMULATOR), ident(at, key), last(rest));
  return collect(at, emptyMap(at), step, filterOf(rest));
}

function transformMapEntry(at: number, rest: readonly Expr[]): Loop {
  const step = call(at, "cel.@mapInsert", ident(at, ACCUMULATOR), last(rest));
  return collect(at, emptyMap(at), step, filterOf(rest));
}

/** The macros over keys and values. */
export const twoVariableMacros: readonly Macro[] = [
  twoVariables("all", 3, (at, rest) => all(at, last(rest))),
  twoVariables("exists", 3, (at, rest) => exists(at, last(rest))),
  twoVariables("existsOne", 3, (at, rest) => existsOne(at, last(rest))),
  twoVariables("exists_one", 3, (at, rest) => existsOne(at, last(rest))),
  ...[3, 4].flatMap((count) => [
    twoVariables("transformList", count, transformList),
    twoVariables("transformMap", count, transformMap),
    twoVariables("transformMapEntry", count, transformMapEntry),
  ]),
];

const optionalMap = (name: string, wrap: (at: number, result: Expr) => Expr): Macro =>
  receiver(name, 2, (at, args, target) => {
    const message = `${name}() variable name must be a simple identifier`;
    const variable = variableName(argument(args, 0), message);
    const optional = target as Expr;
    const value = memberCall(at, "value", copyExpr(optional));
    return call(
      at,
      "_?_:_",
      memberCall(at, "hasValue", optional),
      wrap(at, bind(at, variable, value, argument(args, 1))),
      call(at, "optional.none"),
    );
  });

/** optMap and optFlatMap. */
export const optionalMacros: readonly Macro[] = [
  optionalMap("optMap", (at, result) => call(at, "optional.of", result)),
  optionalMap("optFlatMap", (_at, result) => result),
];

const SORT_INPUT = "@__sortBy_input__";

/** sortBy. */
export const listMacros: readonly Macro[] = [
  receiver("sortBy", 2, (at, args, target) => {
    if (!target || !["list", "select", "ident", "comprehension", "call"].includes(target.kind)) {
      const rule =
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
      throw new MacroError(target?.at ?? at, rule);
    }
    const keys = expandMap(at, args, ident(at, SORT_INPUT));
    const sorted = memberCall(at, "@sortByAssociatedKeys", ident(at, SORT_INPUT), keys);
    return bind(at, SORT_INPUT, target, sorted);
  }),
];
