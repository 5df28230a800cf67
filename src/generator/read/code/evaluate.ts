/** The values of constant expressions: arguments of markers and initialisers of fields. */
import { ts } from "../../load.ts";
import type { Module } from "./module.ts";
import type { Found } from "./modules.ts";
import { complain, type Reader } from "./reader.ts";

/** The value of an expression that is not known before the program runs. */
export const notConstant: unique symbol = Symbol("not constant");

/** The value of a constant while it is being found. */
const inTheMaking: unique symbol = Symbol("in the making");

/** The longest chain of constants, of which each takes its part of the stack. */
const MOST_CONSTANTS = 200;

/** The most parts of a value, each counted wherever it is used: those in lists of lists of one constant double with each. */
const MOST_PARTS = 100_000;
/** The length of a text, in characters, that counts as one part. */
const TEXT_OF_ONE = 16;

/** The parts of lists and records. */
const parts = new WeakMap<object, number>();

/** How many parts a constant value has when it is written out. */
export function partsOf(value: unknown): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / TEXT_OF_ONE);
  if (typeof value !== "object" || value === null) return 1;
  const known = parts.get(value);
  if (known !== undefined) return known;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  const all = [...keys, ...(Object.values(value) as unknown[])];
  const sum = all.reduce((before: number, one) => before + partsOf(one), 1);
  parts.set(value, sum);
  return sum;
}

/**
 * The value of an expression, when it is fixed: literals, arrays, objects, regular expressions,
 * constants (imported ones too), enum members, and simple arithmetic on them.
 */
export function evaluate(reader: Reader, module: Module, node: ts.Expression): unknown {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isRegularExpressionLiteral(node)) return regularExpression(node.text);
  if (
    ts.isAsExpression(node) ||
    ts.isTypeAssertionExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node)
  ) {
    return evaluate(reader, module, node.expression);
  }
  if (ts.isPrefixUnaryExpression(node)) return negate(reader, module, node);
  if (ts.isArrayLiteralExpression(node)) return list(reader, module, node);
  if (ts.isObjectLiteralExpression(node)) return record(reader, module, node);
  if (ts.isTemplateExpression(node)) return template(reader, module, node);
  if (ts.isBinaryExpression(node)) return arithmetic(reader, module, node);
  if (ts.isIdentifier(node)) {
    if (reader.bindings?.has(node.text)) return reader.bindings.get(node.text);
    return node.text === "undefined"
      ? undefined
      : valueOf(reader, reader.modules.resolveValue(module, node.text));
  }
  if (ts.isPropertyAccessExpression(node)) {
    return memberOf(reader, module, node.expression, node.name.text);
  }
  if (ts.isElementAccessExpression(node)) {
    const key = evaluate(reader, module, node.argumentExpression);
    return typeof key === "string" || typeof key === "number"
      ? memberOf(reader, module, node.expression, String(key))
      : notConstant;
  }
  switch (node.kind) {
    case ts.SyntaxKind.TrueKeyword:
      return true;
    case ts.SyntaxKind.FalseKeyword:
      return false;
    case ts.SyntaxKind.NullKeyword:
      return null;
    default:
      return notConstant;
  }
}

/** The values of an enum by their names, in source order. Inside of it, those before are known. */
export function enumValues(
  reader: Reader,
  module: Module,
  node: ts.EnumDeclaration,
): ReadonlyMap<string, unknown> {
  const { constants } = reader.modules;
  const known = constants.get(node);
  if (known) return known as ReadonlyMap<string, unknown>;
  const values = new Map<string, unknown>();
  constants.set(node, values);
  // An enum that is declared several times is one.
  const parts = module.file.statements.filter(
    (part): part is ts.EnumDeclaration =>
      part === node || (ts.isEnumDeclaration(part) && part.name.text === node.name.text),
  );
  for (const part of parts) readEnumMembers(reader, module, part, values);
  return values;
}

function readEnumMembers(
  reader: Reader,
  module: Module,
  node: ts.EnumDeclaration,
  values: Map<string, unknown>,
): void {
  let next: unknown = 0;
  for (const { name, initializer } of node.members) {
    // A member is known to those after it by its bare name.
    const inner = { ...reader, bindings: values };
    const value = initializer ? evaluate(inner, module, initializer) : next;
    values.set(name.getText(module.file).replace(/^["']|["']$/g, ""), value);
    next = typeof value === "number" ? value + 1 : notConstant;
  }
}

/** A constant knows nothing of the function that mentions it. */
const NO_BINDINGS: ReadonlyMap<string, unknown> = new Map();

/**
 * Flags of a pattern that Go has, too: `(?i)` before it. Those of JavaScript's own matching have no
 * counterpart.
 */
const GO_FLAGS = /^[ims]*$/;

/** The source of a pattern; JavaScript's own opinion of it does not matter, the API server runs Go's. */
function regularExpression(text: string): unknown {
  const end = text.lastIndexOf("/");
  const [source, flags] = [text.slice(1, end), text.slice(end + 1)];
  if (!GO_FLAGS.test(flags)) return notConstant;
  return `${flags === "" ? "" : `(?${flags})`}${source.replaceAll("\\/", "/")}`;
}

function negate(reader: Reader, module: Module, node: ts.PrefixUnaryExpression): unknown {
  const value = evaluate(reader, module, node.operand);
  if (typeof value === "number" && node.operator === ts.SyntaxKind.MinusToken) return -value;
  if (typeof value === "number" && node.operator === ts.SyntaxKind.PlusToken) return value;
  if (typeof value === "number" && node.operator === ts.SyntaxKind.TildeToken) return ~value;
  if (typeof value === "boolean" && node.operator === ts.SyntaxKind.ExclamationToken) return !value;
  return notConstant;
}

function list(reader: Reader, module: Module, node: ts.ArrayLiteralExpression): unknown {
  const values: unknown[] = [];
  let size = 0;
  for (const element of node.elements) {
    const isSpread = ts.isSpreadElement(element);
    const value = evaluate(reader, module, isSpread ? element.expression : element);
    if (value === notConstant || value === undefined) return notConstant;
    if (isSpread && !Array.isArray(value)) return notConstant;
    size += partsOf(value);
    if (size > MOST_PARTS) return tooLarge(reader, module, node);
    if (isSpread) for (const one of value as unknown[]) values.push(one);
    else values.push(value);
  }
  return values;
}

function record(reader: Reader, module: Module, node: ts.ObjectLiteralExpression): unknown {
  const values: Record<string, unknown> = {};
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      const spread = evaluate(reader, module, property.expression);
      if (typeof spread !== "object" || spread === null) return notConstant;
      Object.assign(values, spread);
      continue;
    }
    if (ts.isShorthandPropertyAssignment(property)) {
      values[property.name.text] = evaluate(reader, module, property.name);
    } else if (ts.isPropertyAssignment(property) && !ts.isComputedPropertyName(property.name)) {
      values[property.name.text] = evaluate(reader, module, property.initializer);
    } else {
      return notConstant;
    }
    if (Object.values(values).includes(notConstant)) return notConstant;
  }
  return partsOf(values) > MOST_PARTS ? tooLarge(reader, module, node) : values;
}

function template(reader: Reader, module: Module, node: ts.TemplateExpression): unknown {
  let text = node.head.text;
  for (const span of node.templateSpans) {
    const value = evaluate(reader, module, span.expression);
    if (typeof value !== "string" && typeof value !== "number") return notConstant;
    text += String(value) + span.literal.text;
    if (partsOf(text) > MOST_PARTS) return tooLarge(reader, module, node);
  }
  return text;
}

function arithmetic(reader: Reader, module: Module, node: ts.BinaryExpression): unknown {
  const left = evaluate(reader, module, node.left);
  const right = evaluate(reader, module, node.right);
  if (node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    if (typeof left === "string" && typeof right === "string") {
      const text = left + right;
      return partsOf(text) > MOST_PARTS ? tooLarge(reader, module, node) : text;
    }
  }
  if (typeof left !== "number" || typeof right !== "number") return notConstant;
  switch (node.operatorToken.kind) {
    case ts.SyntaxKind.PlusToken:
      return left + right;
    case ts.SyntaxKind.MinusToken:
      return left - right;
    case ts.SyntaxKind.AsteriskToken:
      return left * right;
    case ts.SyntaxKind.SlashToken:
      return left / right;
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return left ** right;
    case ts.SyntaxKind.PercentToken:
      return left % right;
    case ts.SyntaxKind.LessThanLessThanToken:
      return left << right;
    case ts.SyntaxKind.GreaterThanGreaterThanToken:
      return left >> right;
    case ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken:
      return left >>> right;
    case ts.SyntaxKind.AmpersandToken:
      return left & right;
    case ts.SyntaxKind.BarToken:
      return left | right;
    case ts.SyntaxKind.CaretToken:
      return left ^ right;
    default:
      return notConstant;
  }
}

function valueOf(reader: Reader, found: Found | undefined): unknown {
  if (found?.is !== "declaration") return notConstant;
  const { node, module } = found;
  if (ts.isEnumDeclaration(node)) return Object.fromEntries(enumValues(reader, module, node));
  if (!ts.isVariableDeclaration(node) || !node.initializer) return notConstant;
  if ((ts.getCombinedNodeFlags(node) & ts.NodeFlags.Const) === 0) return notConstant;
  const { constants } = reader.modules;
  if (!constants.has(node)) {
    if (reader.size.constants === MOST_CONSTANTS) return tooLong(reader, module, node);
    constants.set(node, inTheMaking);
    reader.size.constants += 1;
    constants.set(node, evaluate({ ...reader, bindings: NO_BINDINGS }, module, node.initializer));
    reader.size.constants -= 1;
  }
  const value = constants.get(node);
  if (value !== inTheMaking) return value;
  complain(
    reader,
    { module, node },
    "circular-constant",
    `The constant ${node.name.getText(module.file)} refers to itself.`,
    "Give it a value that does not lead back to it.",
  );
  return notConstant;
}

function tooLarge(reader: Reader, module: Module, node: ts.Expression): typeof notConstant {
  const at = reader.modules.at(module, node);
  // A value is asked for several times, and those that contain it are as large.
  if (reader.findings.filesWith("schema-too-large").has(at.file)) return notConstant;
  complain(
    reader,
    { module, node },
    "schema-too-large",
    `This value has more than ${MOST_PARTS} parts, and would not fit into a cluster.`,
    "Look for constants that contain another one several times, and grow with each.",
  );
  return notConstant;
}

function tooLong(reader: Reader, module: Module, node: ts.VariableDeclaration): typeof notConstant {
  reader.modules.constants.set(node, notConstant);
  const { file } = reader.modules.at(module, node);
  // The rest of such a chain is as long.
  if (reader.findings.filesWith("nested-too-deep").has(file)) return notConstant;
  complain(
    reader,
    { module, node },
    "nested-too-deep",
    `A chain of more than ${MOST_CONSTANTS} constants leads to this one.`,
    "Give one of them a literal value.",
  );
  return notConstant;
}

function memberOf(reader: Reader, module: Module, object: ts.Expression, key: string): unknown {
  if (ts.isIdentifier(object)) {
    const found = reader.modules.resolve(module, object.text);
    if (found?.is === "namespace")
      return valueOf(reader, reader.modules.resolveValueIn(found, key));
  }
  const value = evaluate(reader, module, object);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return notConstant;
  return (value as Record<string, unknown>)[key];
}
