/**
 * Decorators that users compose of markers: `function PortRange() { return (t, k) => { Minimum(1)(t, k); }; }`.
 *
 * A function that applies markers to its own target and nothing else is followed, with its arguments. One that
 * mentions a marker in any other way is an error where it is used, since what it does is not known.
 */
import { classMarkers, fieldMarkers } from "../../../markers/registry.ts";
import { ts } from "../../load.ts";
import { evaluate } from "../code/evaluate.ts";
import type { Module } from "../code/module.ts";
import type { Reader } from "../code/reader.ts";

/** A call of a marker, and where its arguments are read. */
export interface FollowedMarker {
  readonly name: string;
  readonly call: ts.CallExpression;
  readonly reader: Reader;
  readonly module: Module;
}

type Code = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction;

interface Place {
  readonly reader: Reader;
  readonly module: Module;
  /** How many functions lead here: one that calls itself has no end. */
  readonly depth: number;
}

const DEEPEST = 16;

/**
 * The markers that a decorator of the user's own applies; `undefined` when it has to do with none, and
 * `"not followed"` when it has, in a way that is not understood.
 */
export function composedOf(
  reader: Reader,
  module: Module,
  node: ts.Expression,
): readonly FollowedMarker[] | "not followed" | undefined {
  const place: Place = { reader, module, depth: 0 };
  const followed = follow(place, node);
  if (followed) return followed.length > 0 ? followed : undefined;
  return mentionsMarker(reader, module, node, new Set()) ? "not followed" : undefined;
}

/** The markers that the expression of a decorator applies. */
function follow(place: Place, node: ts.Expression): FollowedMarker[] | undefined {
  const { reader, module, depth } = place;
  if (depth > DEEPEST) return undefined;
  if (ts.isParenthesizedExpression(node)) return follow(place, node.expression);
  if (isCode(node)) return applied(place, node);
  if (ts.isIdentifier(node)) {
    const found = declarationOf(place, node);
    if (!found) return undefined;
    const inner = { reader, module: found.module, depth: depth + 1 };
    if (isCode(found.node)) return applied(inner, found.node);
    const initial = ts.isVariableDeclaration(found.node) ? found.node.initializer : undefined;
    return initial && follow(inner, initial);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const name = markerOf(reader, module, node.expression);
  if (name !== undefined) return [{ name, call: node, reader, module }];
  const found = ts.isIdentifier(node.expression) && declarationOf(place, node.expression);
  if (!found) return undefined;
  const initial = ts.isVariableDeclaration(found.node) ? found.node.initializer : undefined;
  const code = isCode(found.node) ? found.node : initial && isCode(initial) ? initial : undefined;
  const result = code && returned(code);
  if (!code || !result) return undefined;
  const bindings = bound(place, code, found.module, node);
  if (!bindings) return undefined;
  return follow(
    { reader: { ...reader, bindings }, module: found.module, depth: depth + 1 },
    result,
  );
}

/** The markers that `(target, key) => { Minimum(1)(target, key); }` applies, which does nothing else. */
function applied(place: Place, code: Code): FollowedMarker[] | undefined {
  const [target, key] = code.parameters.map(({ name }) => ts.isIdentifier(name) && name.text);
  const { body } = code;
  if (!body || target === undefined || key === undefined) return undefined;
  const statements = ts.isBlock(body) ? [...body.statements] : [body];
  const calls = statements.map((statement) => {
    const isStatement = ts.isExpressionStatement(statement) || ts.isReturnStatement(statement);
    const call = ts.isExpression(statement) ? statement : isStatement && statement.expression;
    if (!call || !ts.isCallExpression(call)) return undefined;
    const [first, second] = call.arguments;
    const isPassed = isNamed(first, target) && isNamed(second, key);
    return isPassed ? follow(place, call.expression) : undefined;
  });
  return calls.includes(undefined) ? undefined : calls.flatMap((call) => call ?? []);
}

const isNamed = (node: ts.Expression | undefined, name: string | false): boolean =>
  node !== undefined &&
  name !== false &&
  ts.isIdentifier(ts.isAsExpression(node) ? node.expression : node) &&
  (ts.isAsExpression(node) ? node.expression : node).getText() === name;

/** The only thing that a function does: what it returns. */
function returned({ body }: Code): ts.Expression | undefined {
  if (!body || !ts.isBlock(body)) return body;
  const [only, ...more] = body.statements;
  return only && ts.isReturnStatement(only) && more.length === 0 ? only.expression : undefined;
}

/** The values of a function's parameters in a call. */
function bound(
  { reader, module }: Place,
  code: Code,
  home: Module,
  call: ts.CallExpression,
): Map<string, unknown> | undefined {
  const bindings = new Map<string, unknown>();
  for (const [index, { name, initializer, dotDotDotToken }] of code.parameters.entries()) {
    if (!ts.isIdentifier(name)) return undefined;
    const given = call.arguments.slice(index, dotDotDotToken ? undefined : index + 1);
    if (given.some(ts.isSpreadElement)) return undefined;
    const values = given.map((argument) => evaluate(reader, module, argument));
    const missing = initializer && evaluate({ ...reader, bindings }, home, initializer);
    bindings.set(name.text, dotDotDotToken ? values : values.length > 0 ? values[0] : missing);
  }
  return bindings;
}

const isCode = (node: ts.Node): node is Code =>
  ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isArrowFunction(node);

/** A declaration of the user's own; those of packages are left out. */
function declarationOf({ reader, module }: Pick<Place, "reader" | "module">, node: ts.Identifier) {
  const found = reader.modules.resolve(module, node.text);
  return found?.is === "declaration" && !found.module.path.includes("node_modules")
    ? found
    : undefined;
}

/** The name of the marker of `tsop` that an expression is. */
function markerOf(reader: Reader, module: Module, node: ts.Expression): string | undefined {
  const isMarker = (name: string): boolean => fieldMarkers.has(name) || classMarkers.includes(name);
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const found = reader.modules.resolve(module, node.expression.text);
    const isTsop = found?.is === "namespace" && found.specifier === "tsop";
    return isTsop && isMarker(node.name.text) ? node.name.text : undefined;
  }
  const found = ts.isIdentifier(node) ? reader.modules.resolve(module, node.text) : undefined;
  return found?.is === "tsop" && isMarker(found.name) ? found.name : undefined;
}

function mentionsMarker(
  reader: Reader,
  module: Module,
  node: ts.Node,
  seen: Set<ts.Node>,
): boolean {
  if (ts.isExpression(node) && markerOf(reader, module, node) !== undefined) return true;
  if (ts.isIdentifier(node)) {
    const found = declarationOf({ reader, module }, node);
    const isNew = found && !seen.has(found.node);
    const isValue = found && (isCode(found.node) || ts.isVariableDeclaration(found.node));
    if (isNew && isValue) {
      seen.add(found.node);
      if (mentionsMarker(reader, found.module, found.node, seen)) return true;
    }
  }
  return ts.forEachChild(node, (child) => mentionsMarker(reader, module, child, seen)) ?? false;
}
