/**
 * The reason why the value of an expression is not known before the program runs, for a sentence.
 */
import { ts } from "../../load.ts";
import { enumValues, evaluate, notConstant } from "./evaluate.ts";
import type { Module } from "./module.ts";
import type { Reader } from "./reader.ts";

/** The most steps of the search. */
const MOST_STEPS = 100;

/** The reason, without a full stop: `now() is called when the program runs`. */
export function whyNotConstant(
  reader: Reader,
  module: Module,
  node: ts.Expression,
  seen: readonly ts.Node[] = [],
): string {
  if (seen.includes(node)) return "it refers to itself";
  if (seen.length === MOST_STEPS)
    return `it is computed from more than ${MOST_STEPS} other constants`;
  const why = (part: ts.Expression, home = module): string =>
    whyNotConstant(reader, home, part, [...seen, node]);
  const shown = (part: ts.Node): string => `\`${shortened(part.getText(module.file))}\``;
  if (
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isTaggedTemplateExpression(node)
  ) {
    return `${shown(node)} is called when the program runs`;
  }
  if (ts.isRegularExpressionLiteral(node)) {
    return `${shown(node)} has a flag that Go's patterns do not have; they know i, m and s`;
  }
  if (ts.isBigIntLiteral(node)) {
    return `${shown(node)} is a bigint, which is not plain JSON: write a number, up to 2^53 - 1`;
  }
  if (isFunction(node)) return `${shown(node)} is a function or a class, which is not plain JSON`;
  if (node.kind === ts.SyntaxKind.ThisKeyword) return "`this` is known only when the program runs";
  if (ts.isIdentifier(node)) return ofName(reader, module, node, why);
  if (ts.isPropertyAccessExpression(node)) {
    return ofMember(reader, module, node.expression, node.name.text, why);
  }
  if (ts.isElementAccessExpression(node)) {
    const key = evaluate(reader, module, node.argumentExpression);
    if (key === notConstant) return why(node.argumentExpression);
    return ofMember(reader, module, node.expression, String(key), why);
  }
  const wrong = operands(node).find((part) => evaluate(reader, module, part) === notConstant);
  return wrong ? why(wrong) : `${shown(node)} is computed when the program runs`;
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

const isFunction = (node: ts.Expression): boolean =>
  ts.isFunctionExpression(node) || ts.isArrowFunction(node) || ts.isClassExpression(node);

function operands(node: ts.Expression): ts.Expression[] {
  const parts: ts.Expression[] = [];
  ts.forEachChild(node, (child) => {
    if (ts.isSpreadElement(child) || ts.isSpreadAssignment(child)) parts.push(child.expression);
    else if (ts.isPropertyAssignment(child)) parts.push(child.initializer);
    else if (ts.isShorthandPropertyAssignment(child)) parts.push(child.name);
    else if (ts.isTemplateSpan(child)) parts.push(child.expression);
    else if (ts.isExpression(child)) parts.push(child);
  });
  return parts;
}

type Why = (part: ts.Expression, home?: Module) => string;

function ofName(reader: Reader, module: Module, { text }: ts.Identifier, why: Why): string {
  const found = reader.modules.resolveValue(module, text);
  if (found?.is !== "declaration") {
    return module.imports.has(text)
      ? `\`${text}\` is imported from where it cannot be read`
      : `\`${text}\` is declared neither at the top of the file nor imported`;
  }
  const { node } = found;
  if (!ts.isVariableDeclaration(node)) return `\`${text}\` is not a constant`;
  if ((ts.getCombinedNodeFlags(node) & ts.NodeFlags.Const) === 0) {
    return `\`${text}\` is a variable, which can change: declare it with const`;
  }
  if (!node.initializer) return `\`${text}\` is declared without its value`;
  return why(node.initializer, found.module);
}

function ofMember(
  reader: Reader,
  module: Module,
  object: ts.Expression,
  key: string,
  why: Why,
): string {
  const name = object.getText(module.file);
  const found = ts.isIdentifier(object)
    ? reader.modules.resolveValue(module, object.text)
    : undefined;
  if (found?.is === "declaration" && ts.isEnumDeclaration(found.node)) {
    const values = enumValues(reader, found.module, found.node);
    if (!values.has(key)) return `\`${name}\` has no member ${key}`;
    const member = found.node.members.find((one) => one.name.getText(found.module.file) === key);
    const initial = member?.initializer;
    return initial
      ? why(initial, found.module)
      : `\`${name}.${key}\` follows a member of which the value is not known`;
  }
  const value = evaluate(reader, module, object);
  if (value === notConstant) return why(object);
  return `\`${name}\` has no field ${key} that is written out`;
}
