/**
 * Everything of a project that a value can come from: the calls of each function, what is assigned to variables and
 * fields, what is put into lists, and which classes extend which.
 */
import { tableOf } from "../../table.ts";
import { ts } from "../load.ts";
import { type Call, type Path, EACH, plain, stepOf } from "./paths.ts";
import type { Types } from "./types.ts";

/** A call of a function of the project. */
export interface CallSite {
  readonly call: Call;
  /** Whether the first argument is the receiver: `f.call(self, ...)`. */
  readonly isShifted: boolean;
}

/** A value that a variable or a field gets beside its initial one, and the part of it that this is. */
interface Write {
  readonly value: ts.Expression;
  readonly at: Path;
}

/** The functions behind which a call goes on at another place. */
const PASSES_ON = new Set(["call", "bind"]);

/** How a list or a map gets a value: which arguments it takes, and where they are. */
const PUTS = tableOf<{ readonly from: number; readonly at: Path }>({
  push: { from: 0, at: [EACH] },
  unshift: { from: 0, at: [EACH] },
  add: { from: 0, at: [EACH] },
  set: { from: 1, at: [EACH, "1"] },
});

/** Reads a project's files once, for the questions of those who follow values. */
export class Survey {
  readonly calls: Call[] = [];
  readonly #types: Types;
  readonly #callers = new Map<ts.Node, CallSite[]>();
  readonly #writes = new Map<ts.Node, Write[]>();
  readonly #derived = new Map<ts.Node, ts.ClassLikeDeclaration[]>();
  /** The functions that may be meant by a call of a signature that has no body. */
  readonly #implementers = new Map<ts.Node, ts.SignatureDeclaration[]>();
  /** The signatures as which a function may be called. */
  readonly #roles = new Map<ts.Node, Set<ts.Node>>();
  /** Functions that are handed to code whose calls are not known. */
  readonly #handed = new Set<ts.Node>();

  constructor(types: Types) {
    this.#types = types;
  }

  read(file: ts.Node): void {
    if (ts.isDecorator(file) || ts.isTypeNode(file)) return;
    if (ts.isCallExpression(file) || ts.isNewExpression(file)) this.#readCall(file);
    if (ts.isClassLike(file)) this.#readClass(file);
    if (ts.isBinaryExpression(file)) this.#readAssignment(file);
    if (isFunctionValue(file)) this.#readRole(file, file);
    if (ts.isIdentifier(file) || ts.isPropertyAccessExpression(file)) this.#readMention(file);
    ts.forEachChild(file, (child) => {
      this.read(child);
    });
  }

  /** The calls of a function. `isComplete` is false where it may be called elsewhere, too. */
  callersOf(owner: ts.Node): { readonly sites: readonly CallSite[]; readonly isComplete: boolean } {
    const roles = [owner, ...(this.#roles.get(owner) ?? [])];
    const sites = roles.flatMap((role) => this.#callers.get(role) ?? []);
    return { sites, isComplete: !this.#handed.has(owner) };
  }

  /** The signatures of libraries as which a function is called: it is handed to them. */
  libraryRolesOf(owner: ts.Node): readonly ts.Node[] {
    return [...(this.#roles.get(owner) ?? [])].filter((role) => !this.#types.isOfProject(role));
  }

  /** The functions with a body that a signature stands for. */
  bodiesOf(signature: ts.SignatureDeclaration): readonly ts.SignatureDeclaration[] {
    const own = (signature as ts.FunctionLikeDeclaration).body ? [signature] : [];
    return [...own, ...(this.#implementers.get(signature) ?? [])];
  }

  writesTo(declaration: ts.Node): readonly Write[] {
    return this.#writes.get(declaration) ?? [];
  }

  /** A class, those that it extends, and those that extend it: `this` can be of any of the latter. */
  familyOf(node: ts.ClassLikeDeclaration): readonly ts.ClassLikeDeclaration[] {
    const found = new Set([node]);
    for (const one of found) for (const below of this.#derived.get(one) ?? []) found.add(below);
    for (const base of this.#types.basesOf(node)) found.add(base);
    return [...found];
  }

  #readCall(call: Call): void {
    this.calls.push(call);
    for (const declaration of this.#types.signaturesOf(call)) {
      add(this.#callers, declaration, { call, isShifted: false });
    }
    const callee = plain(call.expression);
    if (!ts.isPropertyAccessExpression(callee)) return;
    if (PASSES_ON.has(callee.name.text)) {
      for (const declaration of this.#types.signaturesAt(callee.expression)) {
        add(this.#callers, declaration, { call, isShifted: true });
      }
    }
    const put = PUTS.get(callee.name.text);
    if (!put) return;
    for (const value of call.arguments?.slice(put.from) ?? []) {
      const isSpread = ts.isSpreadElement(value);
      this.#write(callee.expression, isSpread ? value.expression : value, isSpread ? [] : put.at);
    }
  }

  #readAssignment({ left, operatorToken, right }: ts.BinaryExpression): void {
    const { kind } = operatorToken;
    const isAssignment =
      kind === ts.SyntaxKind.EqualsToken ||
      kind === ts.SyntaxKind.QuestionQuestionEqualsToken ||
      kind === ts.SyntaxKind.BarBarEqualsToken ||
      kind === ts.SyntaxKind.AmpersandAmpersandEqualsToken;
    if (isAssignment) this.#write(left, right, []);
  }

  /** Notes a value for the variable or field that an expression names, or for the part of it that it leads to. */
  #write(target: ts.Expression, value: ts.Expression, at: Path): void {
    const node = plain(target);
    if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isShorthandPropertyAssignment(property)) this.#write(property.name, value, at);
        if (ts.isPropertyAssignment(property)) this.#write(property.initializer, value, at);
      }
      return;
    }
    if (ts.isElementAccessExpression(node)) {
      this.#write(node.expression, value, [stepOf(node), ...at]);
      return;
    }
    const declarations = this.#types.declarationsAt(node);
    for (const declaration of declarations) add(this.#writes, declaration, { value, at });
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      this.#write(node.expression, value, [node.name.text, ...at]);
    }
  }

  #readClass(node: ts.ClassLikeDeclaration): void {
    for (const base of this.#types.basesOf(node)) add(this.#derived, base, node);
    for (const member of node.members) {
      if (!member.name || !ts.isFunctionLike(member)) continue;
      for (const inherited of this.#types.inheritedMembers(node, member.name)) {
        for (const signature of signaturesIn(inherited)) this.#link(member, signature);
      }
    }
  }

  /** A function is called as what it is handed for: a callback, a member of a table, a field. */
  #readRole(node: ts.Expression | ts.MethodDeclaration, owner: ts.SignatureDeclaration): void {
    const expected = this.#types.expectedSignatures(node);
    if (expected === "unknown") this.#handed.add(owner);
    else for (const signature of expected) this.#link(owner, signature);
  }

  #link(owner: ts.SignatureDeclaration, role: ts.Node): void {
    if (owner === role) return;
    const roles = this.#roles.get(owner) ?? new Set();
    roles.add(role);
    this.#roles.set(owner, roles);
    add(this.#implementers, role, owner);
  }

  /** A function that is named and not called there is handed on. */
  #readMention(node: ts.Identifier | ts.PropertyAccessExpression): void {
    const { parent } = node;
    if (ts.isIdentifier(node) && ts.isPropertyAccessExpression(parent) && parent.name === node)
      return;
    if (isCallee(node) || !isValue(node)) return;
    if (ts.isPropertyAccessExpression(parent) && isCallee(parent)) return;
    for (const declaration of this.#types.declarationsAt(node)) {
      const owner = functionOf(declaration);
      if (owner && this.#types.isOfProject(owner)) this.#readRole(node, owner);
    }
  }
}

function add<T>(map: Map<ts.Node, T[]>, key: ts.Node, value: T): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** The function that a declaration is, or that its variable is set to. */
function functionOf(node: ts.Node): ts.SignatureDeclaration | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node;
  const isNamed =
    ts.isVariableDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node);
  const value = isNamed && node.initializer ? plain(node.initializer) : undefined;
  return value && isFunctionExpression(value) ? value : undefined;
}

const isFunctionExpression = (node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** A function that is a value where it stands. */
const isFunctionValue = (
  node: ts.Node,
): node is ts.ArrowFunction | ts.FunctionExpression | ts.MethodDeclaration =>
  isFunctionExpression(node) ||
  (ts.isMethodDeclaration(node) && ts.isObjectLiteralExpression(node.parent));

/** Whether a node is what is called. */
export function isCallee(node: ts.Node): boolean {
  let at = node;
  while (ts.isExpression(at.parent) && plain(at.parent) !== at.parent) at = at.parent;
  const { parent } = at;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === at;
}

/** Whether a name stands for its value: it is no declaration, and not the name of a member. */
export function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isExportSpecifier(parent) || ts.isImportSpecifier(parent)) return false;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) return false;
  const { name } = parent as ts.Node & { readonly name?: ts.Node };
  return name !== node && ts.isExpression(node) && !ts.isHeritageClause(parent.parent);
}

/** The signatures that a member declares, or that its type does. */
function signaturesIn(member: ts.Node): readonly ts.Node[] {
  if (ts.isFunctionLike(member)) return [member];
  const { type } = member as ts.PropertySignature;
  return type && ts.isFunctionTypeNode(type) ? [type] : [];
}
