/**
 * Checks of constants that would otherwise fail only when used: durations, patterns, format
 * strings.
 */
import { childrenOf, type CallExpr, type Expr, type ListExpr } from "../expression.ts";
import type { CelIssue } from "../issues.ts";
import { CLAUSE_RULES, partsOf } from "../library/format-text.ts";
import { compilePattern } from "../patterns.ts";
import { parseDuration, parseTimestamp, timestampFromUnix } from "../time.ts";
import { type CelType, DYN, firstParameter, formatType, isOptional, sameType } from "../types.ts";
import { CelError, type CelValue } from "../values.ts";
import { tableOf } from "../../../table.ts";

/** Errors of the constants of a checked tree. */
export function literalIssues(root: Expr): CelIssue[] {
  const issues: CelIssue[] = [];
  const calls: CallExpr[] = [];
  const literals: Expr[] = [];
  const visit = (expr: Expr, inFormat: boolean): void => {
    if (expr.kind === "call") calls.push(expr);
    if (!inFormat && (expr.kind === "list" || expr.kind === "map")) literals.push(expr);
    const inside = inFormat || (expr.kind === "call" && expr.name === "format");
    for (const child of childrenOf(expr)) visit(child, inside);
  };
  visit(root, false);
  for (const [name, fits] of CHECKED_CALLS) {
    for (const call of calls) {
      const [first] = call.args;
      if (call.name !== name || first?.kind !== "literal" || fits(first.value)) continue;
      issues.push({ offset: first.at, message: `invalid ${name} argument` });
    }
  }
  for (const literal of literals) issues.push(...mixedTypes(literal));
  for (const call of calls) if (call.name === "format") issues.push(...formatIssues(call));
  return issues;
}

const CHECKED_CALLS: readonly (readonly [string, (value: CelValue) => boolean])[] = [
  ["duration", (value) => typeof value !== "string" || parseDuration(value) !== undefined],
  [
    "timestamp",
    (value) => {
      if (typeof value === "bigint") return !(timestampFromUnix(value) instanceof CelError);
      if (typeof value !== "string") return true;
      const parsed = parseTimestamp(value);
      return parsed !== undefined && !(parsed instanceof CelError);
    },
  ],
  ["matches", (value) => typeof value !== "string" || !(compilePattern(value) instanceof CelError)],
];

const mismatch = (expr: Expr, expected: CelType, actual: CelType): CelIssue => ({
  offset: expr.at,
  message: `expected type '${formatType(expected)}' but found '${formatType(actual)}'`,
});

/** Errors of literals with items, keys or values of several types. */
function mixedTypes(literal: Expr): CelIssue[] {
  if (literal.kind === "list") {
    const items = literal.items.map(({ value, optional }) => typed(value, optional));
    return firstMismatch(items).slice(0, 1);
  }
  if (literal.kind !== "map") return [];
  const keys = literal.entries.map(({ key }) => typed(key, false));
  const values = literal.entries.map(({ value, optional }) => typed(value, optional));
  return [...firstMismatch(keys), ...firstMismatch(values)];
}

interface Typed {
  readonly expr: Expr;
  readonly type: CelType;
}

function typed(expr: Expr, optional: boolean): Typed {
  const type = expr.type ?? DYN;
  return { expr, type: optional && isOptional(type) ? firstParameter(type) : type };
}

function firstMismatch([first, ...rest]: readonly Typed[]): CelIssue[] {
  if (!first) return [];
  return rest
    .filter(({ type }) => !sameType(first.type, type, false))
    .map(({ expr, type }) => mismatch(expr, first.type, type));
}

/** Errors of a constant format string with a list of arguments. */
function formatIssues(call: CallExpr): CelIssue[] {
  const [args] = call.args;
  if (call.target?.kind !== "literal" || typeof call.target.value !== "string") return [];
  if (args?.kind !== "list" || call.args.length !== 1) return [];
  const issue = (message: string, at = call.at): CelIssue[] => [{ offset: at, message }];
  let count = 0;
  for (const part of partsOf(call.target.value)) {
    if ("text" in part) continue;
    const index = count++;
    if (index >= args.items.length && !("problem" in part)) {
      return issue(`index ${index} out of range`);
    }
    if ("problem" in part) return issue(part.problem);
    const arg = args.items[index]?.value;
    const bad = arg && unfit(part.clause, arg);
    if (bad) {
      const type = (bad.type ?? DYN).name;
      return issue(
        `error during formatting: ${CLAUSE_RULES.get(part.clause) ?? ""} ${type}`,
        bad.at,
      );
    }
  }
  if (args.items.length <= count) return [];
  return issue(
    `too many arguments supplied to string.format (expected ${count}, got ${args.items.length})`,
  );
}

const CLAUSE_TYPES = tableOf<readonly CelType["kind"][]>({
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
});

const PRINTABLE: readonly CelType["kind"][] = [
  ...(["list", "map", "int", "uint", "double", "bool", "string", "timestamp"] as const),
  ...(["bytes", "duration", "type", "null"] as const),
];

/** The part of an argument that its clause cannot print. */
function unfit(clause: string, arg: Expr): Expr | undefined {
  const kind = (arg.type ?? DYN).kind;
  if (clause !== "s") {
    return kind === "dyn" || CLAUSE_TYPES.get(clause)?.includes(kind) ? undefined : arg;
  }
  if (kind !== "dyn" && !PRINTABLE.includes(kind)) return arg;
  if (arg.kind !== "list" && arg.kind !== "map") return undefined;
  return insideOf(arg)
    .map((expr) => unfit("s", expr))
    .find((bad) => bad !== undefined);
}

const insideOf = (literal: ListExpr | Extract<Expr, { kind: "map" }>): readonly Expr[] =>
  childrenOf(literal);
