/** Finds the functions of the project that a call calls. */
import { ts } from "../load.ts";
import type { Module } from "../read/code/module.ts";
import type { Found } from "../read/code/modules.ts";
import type { Reader } from "../read/code/reader.ts";
import { classAround, fieldOf, findBinding, plain } from "./bindings.ts";
import { partsOf, typeNamed } from "./types.ts";

const MAX_STEPS = 12;

/** Finds the functions behind calls. */
export class Callees {
  readonly #reader: Reader;

  readonly #subclasses = new Map<ts.Node, ts.ClassLikeDeclaration[]>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Notes a class of the project among those that extend its base. */
  addClass(node: ts.ClassLikeDeclaration): void {
    const base = this.#baseOf(node);
    if (base) this.#subclasses.set(base, [...(this.#subclasses.get(base) ?? []), node]);
  }

  /** A class, those that it extends, and those that extend it: `this` can be of any of the latter. */
  familyOf(node: ts.ClassLikeDeclaration): readonly ts.ClassLikeDeclaration[] {
    const found = new Set([node]);
    for (const one of found) for (const below of this.#subclasses.get(one) ?? []) found.add(below);
    for (let base = this.#baseOf(node); base && !found.has(base); base = this.#baseOf(base)) {
      found.add(base);
    }
    return [...found];
  }

  /** The functions that an expression stands for. */
  behind(expression: ts.Expression): readonly ts.SignatureDeclaration[] {
    return this.#functions(expression, 0);
  }

  /** The method of that name of what an expression stands for: of an object, or of an instance of a class. */
  methodOf(expression: ts.Expression, name: string): readonly ts.SignatureDeclaration[] {
    return this.#method(expression, name, 0);
  }

  /** The functions that a call can be of; none where they are not of this project. */
  of(call: ts.CallExpression | ts.NewExpression): readonly ts.SignatureDeclaration[] {
    const callee = plain(call.expression);
    if (ts.isNewExpression(call)) return constructorsOf(this.#classOf(callee, 0));
    if (callee.kind === ts.SyntaxKind.SuperKeyword) {
      return constructorsOf(this.#baseOf(classAround(call)));
    }
    return this.#functions(callee, 0);
  }

  #functions(node: ts.Expression, steps: number): readonly ts.SignatureDeclaration[] {
    if (steps > MAX_STEPS) return [];
    const at = plain(node);
    if (ts.isArrowFunction(at) || ts.isFunctionExpression(at)) return [at];
    if (ts.isIdentifier(at)) {
      const binding = findBinding(at);
      if (!binding) return this.#declared(this.#resolve(at), steps);
      const { initializer } = binding.node;
      const [name, ...more] = binding.path;
      if (!initializer || ts.isParameter(binding.node)) return [];
      if (name === undefined) return this.#functions(initializer, steps + 1);
      return typeof name === "string" && more.length === 0
        ? this.#method(initializer, name, steps + 1)
        : [];
    }
    // A curried call: remove(client)(Secret).
    if (ts.isCallExpression(at)) {
      return this.#functions(at.expression, steps + 1).flatMap((one) =>
        returnedBy(one).flatMap((value) => this.#functions(value, steps + 1)),
      );
    }
    if (!ts.isPropertyAccessExpression(at)) return [];
    return this.#method(at.expression, at.name.text, steps + 1);
  }

  #declared(found: Found | undefined, steps: number): readonly ts.SignatureDeclaration[] {
    if (found?.is !== "declaration") return [];
    const { node } = found;
    if (ts.isFunctionDeclaration(node)) return [node];
    return ts.isVariableDeclaration(node) && node.initializer
      ? this.#functions(node.initializer, steps + 1)
      : [];
  }

  /** The method of that name of what an expression holds. */
  #method(node: ts.Expression, name: string, steps: number): readonly ts.SignatureDeclaration[] {
    if (steps > MAX_STEPS) return [];
    const on = plain(node);
    if (on.kind === ts.SyntaxKind.ThisKeyword) return this.#methodOf(classAround(on), name, steps);
    if (on.kind === ts.SyntaxKind.SuperKeyword) {
      return this.#methodOf(this.#baseOf(classAround(on)), name, steps);
    }
    if (ts.isObjectLiteralExpression(on)) return this.#property(on, name, steps);
    if (ts.isIdentifier(on) && !findBinding(on)) {
      const found = this.#resolve(on);
      if (found?.is === "namespace") {
        return this.#declared(this.#reader.modules.resolveIn(found, name), steps);
      }
      if (found?.is === "declaration" && ts.isVariableDeclaration(found.node)) {
        const { initializer } = found.node;
        if (initializer) return this.#method(initializer, name, steps + 1);
      }
    }
    const declared = this.#classOf(on, steps);
    if (declared) return this.#methodOf(declared, name, steps);
    const binding = ts.isIdentifier(on) ? findBinding(on) : undefined;
    const { initializer } = binding?.node ?? {};
    return initializer && binding?.path.length === 0
      ? this.#method(initializer, name, steps + 1)
      : [];
  }

  #property(
    node: ts.ObjectLiteralExpression,
    name: string,
    steps: number,
  ): readonly ts.SignatureDeclaration[] {
    for (const property of node.properties) {
      if (property.name?.getText() !== name) continue;
      if (ts.isMethodDeclaration(property)) return [property];
      if (ts.isPropertyAssignment(property))
        return this.#functions(property.initializer, steps + 1);
      if (ts.isShorthandPropertyAssignment(property))
        return this.#functions(property.name, steps + 1);
    }
    return [];
  }

  #methodOf(
    node: ts.ClassLikeDeclaration | undefined,
    name: string,
    steps: number,
  ): readonly ts.SignatureDeclaration[] {
    if (!node || steps > MAX_STEPS) return [];
    const own = node.members.find(
      (member) => ts.isMethodDeclaration(member) && member.name.getText() === name,
    );
    if (own && ts.isMethodDeclaration(own)) return [own];
    const { values } = fieldOf(node, name);
    if (values.length > 0) return values.flatMap((value) => this.#functions(value, steps + 1));
    return this.#methodOf(this.#baseOf(node), name, steps + 1);
  }

  /** The class whose instance, or which itself, an expression is. */
  #classOf(expression: ts.Expression, steps: number): ts.ClassLikeDeclaration | undefined {
    if (steps > MAX_STEPS) return undefined;
    const node = plain(expression);
    if (ts.isClassExpression(node)) return node;
    if (ts.isNewExpression(node)) return this.#classOf(node.expression, steps + 1);
    if (ts.isIdentifier(node)) {
      const binding = findBinding(node);
      if (!binding) return this.#classNamed(this.#resolve(node), steps);
      const { type, initializer } = binding.node;
      if (type) return this.#classTyped(type, this.#moduleOf(node), binding.path);
      return initializer && binding.path.length === 0
        ? this.#classOf(initializer, steps + 1)
        : undefined;
    }
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const around =
      node.expression.kind === ts.SyntaxKind.ThisKeyword
        ? classAround(node)
        : this.#classOf(node.expression, steps + 1);
    if (!around) return undefined;
    const { type, values } = fieldOf(around, node.name.text);
    if (type) return this.#classTyped(type, this.#moduleOf(around), []);
    const [value] = values;
    return value && this.#classOf(value, steps + 1);
  }

  #classNamed(found: Found | undefined, steps: number): ts.ClassLikeDeclaration | undefined {
    if (found?.is !== "declaration") return undefined;
    const { node } = found;
    if (ts.isClassDeclaration(node)) return node;
    return ts.isVariableDeclaration(node) && node.initializer
      ? this.#classOf(node.initializer, steps + 1)
      : undefined;
  }

  #classTyped(
    type: ts.TypeNode,
    module: Module,
    path: readonly (string | symbol)[],
  ): ts.ClassLikeDeclaration | undefined {
    const { modules } = this.#reader;
    for (const part of partsOf(modules, { node: type, module }, path as never)) {
      if (!ts.isTypeReferenceNode(part.node)) continue;
      const found = typeNamed(modules, part.module, part.node);
      if (found?.is === "declaration" && ts.isClassDeclaration(found.node)) return found.node;
    }
    return undefined;
  }

  #baseOf(node: ts.ClassLikeDeclaration | undefined): ts.ClassLikeDeclaration | undefined {
    const base = node?.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
      ?.types[0];
    return base && ts.isIdentifier(base.expression)
      ? this.#classNamed(this.#resolve(base.expression), 0)
      : undefined;
  }

  #resolve(node: ts.Identifier): Found | undefined {
    const module = this.#moduleOf(node);
    const local = localDeclaration(node);
    if (local) return { is: "declaration", node: local, module };
    return this.#reader.modules.resolve(module, node.text);
  }

  #moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }
}

/** The function or class of that name inside of the functions around a name. */
function localDeclaration(
  name: ts.Identifier,
): ts.FunctionDeclaration | ts.ClassDeclaration | undefined {
  for (let node: ts.Node = name; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isBlock(node)) continue;
    for (const statement of node.statements) {
      const isDeclaration = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
      if (isDeclaration && statement.name?.text === name.text) return statement;
    }
  }
  return undefined;
}

/** The expressions that a function returns, as they are written. */
function returnedBy(owner: ts.SignatureDeclaration): readonly ts.Expression[] {
  const { body } = owner as ts.FunctionLikeDeclaration;
  if (!body) return [];
  if (!ts.isBlock(body)) return [body];
  return body.statements.flatMap((statement) =>
    ts.isReturnStatement(statement) && statement.expression ? [statement.expression] : [],
  );
}

function constructorsOf(node: ts.ClassLikeDeclaration | undefined): ts.SignatureDeclaration[] {
  return node?.members.filter(ts.isConstructorDeclaration) ?? [];
}
