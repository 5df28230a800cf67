/** Parts of values, and expressions without what does not change their value. */
import { ts } from "../load.ts";

/** The part of a path for any item of a list, or any value of a record. */
export const EACH: unique symbol = Symbol("each");

/** The way from a value to a part of it: `["client"]` is its property, `[EACH]` any of its items. */
export type Path = readonly (string | typeof EACH)[];

/** A call of a function or of a constructor. */
export type Call = ts.CallExpression | ts.NewExpression;

/** A step of a path, as a text that is the same for the same step. */
export const shownPath = (path: Path): string => path.map(String).join("/");

/** A value, and where it stands. */
export interface Origin<T> {
  readonly value: T;
  readonly node: ts.Expression;
  /** The call that hands it to the function in which it is used; absent where it is used where it stands. */
  readonly via?: Call | undefined;
}

/** The origins of a value, and the places at which it got lost. */
export interface Origins<T> {
  readonly found: readonly Origin<T>[];
  readonly lost: readonly Omit<Origin<T>, "value">[];
}

/** The expression below parentheses, assertions, `await`, `yield*` and the like. */
export function plain(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node) ||
    ts.isAwaitExpression(node)
    ? plain(node.expression)
    : node;
}

/** The step that an access takes: `.name`, `["name"]`, or any where the name is not known. */
export function stepOf(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): string | typeof EACH {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  const { argumentExpression: key } = node;
  return ts.isStringLiteralLike(key) || ts.isNumericLiteral(key) ? key.text : EACH;
}

/** The name of a member as a step. */
export function nameStep(name: ts.PropertyName | ts.BindingName): string | typeof EACH {
  if (ts.isComputedPropertyName(name)) {
    return ts.isStringLiteralLike(name.expression) ? name.expression.text : EACH;
  }
  return ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteralLike(name)
    ? name.text
    : EACH;
}

/** Whether a member of that name is on the way of a step. */
export const isStep = (name: ts.PropertyName, step: string | typeof EACH): boolean => {
  const own = nameStep(name);
  return own === step || own === EACH || step === EACH;
};

/** The variable or parameter that a name of a pattern is a part of, the way to it, and the defaults on it. */
export function bindingOf(element: ts.BindingElement): {
  readonly root: ts.VariableDeclaration | ts.ParameterDeclaration;
  readonly path: Path;
  readonly defaults: readonly { readonly value: ts.Expression; readonly path: Path }[];
} {
  let path: Path = [];
  const defaults: { value: ts.Expression; path: Path }[] = [];
  let node: ts.Node = element;
  while (ts.isBindingElement(node)) {
    const pattern: ts.BindingPattern = node.parent;
    if (node.initializer) defaults.push({ value: node.initializer, path });
    const isList = ts.isArrayBindingPattern(pattern);
    if (!node.dotDotDotToken) {
      const step = isList
        ? String(pattern.elements.indexOf(node))
        : nameStep(node.propertyName ?? node.name);
      path = [step, ...path];
    } else if (isList && typeof path[0] === "string") {
      path = [EACH, ...path.slice(1)];
    }
    node = pattern.parent;
  }
  return { root: node as ts.VariableDeclaration | ts.ParameterDeclaration, path, defaults };
}

/** The class around a node, whose `this` is in force there. */
export function classAround(node: ts.Node): ts.ClassLikeDeclaration | undefined {
  for (let at = node; !ts.isSourceFile(at); at = at.parent) if (ts.isClassLike(at)) return at;
  return undefined;
}

/** The last name of a callee, for messages. */
export function lastName(node: ts.Expression): string {
  const at = plain(node);
  if (ts.isPropertyAccessExpression(at)) return at.name.text.replace(/^#/, "");
  if (ts.isIdentifier(at)) return at.text;
  return ts.isCallExpression(at) ? lastName(at.expression) : "client";
}

/** The arguments of a call; those of `f.call(self, ...)` and `f.bind(self, ...)` are those of `f`. */
export function givenTo(call: Call, isShifted: boolean): readonly ts.Expression[] {
  return (call.arguments ?? []).slice(isShifted ? 1 : 0);
}

/** The argument that a parameter gets, where a list is spread a part of it. */
export function argumentAt(
  given: readonly ts.Expression[],
  index: number,
): { readonly value: ts.Expression; readonly path: Path } | undefined {
  const spread = given.findIndex((one) => ts.isSpreadElement(one));
  if (spread >= 0 && spread <= index) {
    const value = given[spread];
    return value && ts.isSpreadElement(value)
      ? { value: value.expression, path: [index === spread ? "0" : EACH] }
      : undefined;
  }
  const value = given[index];
  return value && { value, path: [] };
}

/** The expressions that a function returns; those that a generator yields. */
export function returnedBy(owner: ts.SignatureDeclaration): {
  readonly values: readonly ts.Expression[];
  readonly yields: readonly ts.Expression[];
} {
  const { body } = owner as ts.FunctionLikeDeclaration;
  if (!body) return { values: [], yields: [] };
  if (!ts.isBlock(body)) return { values: [body as ts.Expression], yields: [] };
  const values: ts.Expression[] = [];
  const yields: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) values.push(node.expression);
    if (ts.isYieldExpression(node) && node.expression && !node.asteriskToken)
      yields.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return { values, yields };
}

/** Whether the parent of an expression goes on with it: `.name`, a call, parentheses. */
export function isOuter(node: ts.Expression): boolean {
  const { parent } = node;
  const isNext =
    ts.isPropertyAccessExpression(parent) ||
    ts.isCallExpression(parent) ||
    ts.isNonNullExpression(parent);
  return (isNext && parent.expression === node) || ts.isParenthesizedExpression(parent);
}
