/**
 * Finds the kinds that an expression can stand for: a token, or an object of that kind.
 *
 * Read from the syntax: names are followed to their declarations, through lists, records, loops,
 * destructuring, fields of classes and results of functions. The value of a parameter is known only
 * where its function is called; it is handed back as it is.
 */
import { ts } from "../load.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import { evaluate } from "../read/code/evaluate.ts";
import type { Module } from "../read/code/module.ts";
import type { Found } from "../read/code/modules.ts";
import type { Reader } from "../read/code/reader.ts";
import { type TokenModel, declaredToken } from "../read/marks/token.ts";
import {
  EACH,
  type Path,
  classAround,
  fieldOf,
  findBinding,
  plain,
  propertyStep,
} from "./bindings.ts";
import type { Callees } from "./callees.ts";
import type { Receivers } from "./receivers.ts";
import { type Kinds, NONE, partly, union } from "./kinds.ts";
import type { Puts } from "./puts.ts";
import { partsOf, typeNamed } from "./types.ts";

const MAX_STEPS = 24;

/** Calls of a client whose result is an object of the kind of their first argument. */
const RETURNS_OBJECT = new Set(["get", "find", "create", "update", "patch", "apply"]);
const RETURNS_LIST = new Set(["list", "listAll"]);
/** Methods of lists by their results. */
const SAME_LIST = new Set("filter slice concat sort toSorted reverse toReversed".split(" "));
const ONE_ITEM = new Set("find findLast at pop shift".split(" "));
/** Methods of lists whose function is called with each of the items. */
const WITH_EACH = new Set(
  "map flatMap forEach filter find findLast findIndex some every".split(" "),
);

/** Follows kinds through the code. */
export class KindFlow {
  /** The names that were followed to a kind: nothing else is done with the kind there. */
  readonly followed = new Set<ts.Node>();
  readonly #reader: Reader;
  readonly #receivers: Receivers;
  readonly #callees: Callees;
  /** The kinds of the project, for those that are named at run time. */
  readonly kinds: TokenModel[] = [];
  readonly #puts: Puts;
  #steps = 0;
  #probing = false;

  constructor(reader: Reader, receivers: Receivers, callees: Callees, puts: Puts) {
    this.#reader = reader;
    this.#receivers = receivers;
    this.#callees = callees;
    this.#puts = puts;
  }

  /** The kinds of an expression, or of the part of it that a path leads to. */
  of(expression: ts.Expression, path: Path = []): Kinds {
    if (this.#steps >= MAX_STEPS) return NONE;
    this.#steps++;
    try {
      return this.#find(plain(expression), path);
    } finally {
      this.#steps--;
    }
  }

  /** The kind of `client.dynamic("apps/v1", "Deployment")`, where it is known before the program runs. */
  dynamicToken(call: ts.CallExpression): TokenModel | undefined {
    const { expression, arguments: given } = call;
    if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "dynamic") {
      return undefined;
    }
    const module = this.#moduleOf(call);
    const [apiVersion, kind] = given.map((argument) => evaluate(this.#reader, module, argument));
    if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
    const { group } = parseApiVersion(apiVersion);
    return [...this.kinds, ...this.#reader.modules.builtInKinds()].find(
      (one) => one.group === group && one.kind === kind,
    );
  }

  /** The kinds that an expression hands on as tokens; objects of a kind are not meant, and nothing counts as followed. */
  handedOn(expression: ts.Expression, path: Path = []): Kinds {
    this.#probing = true;
    try {
      return this.of(expression, path);
    } finally {
      this.#probing = false;
    }
  }

  #find(node: ts.Expression, path: Path): Kinds {
    if (ts.isIdentifier(node)) return this.#named(node, path);
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      return this.#access(node, path);
    }
    if (ts.isConditionalExpression(node)) {
      return union([this.of(node.whenTrue, path), this.of(node.whenFalse, path)]);
    }
    if (ts.isBinaryExpression(node)) {
      const { left, operatorToken, right } = node;
      // Tokens and objects are never falsy: what comes out of `a && b` is b.
      if (operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) return this.of(right, path);
      const either = [ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken];
      if (!either.includes(operatorToken.kind)) return NONE;
      return union([this.of(left, path), this.of(right, path)]);
    }
    if (ts.isArrayLiteralExpression(node)) return this.#items(node, path);
    if (ts.isObjectLiteralExpression(node)) return this.#record(node, path);
    if (ts.isCallExpression(node)) return this.#call(node, path);
    if (ts.isNewExpression(node)) {
      // A Set or a Map: its items are those of the list that it is made of.
      const [first] = node.arguments ?? [];
      return first && path[0] === EACH ? this.of(first, path) : NONE;
    }
    return NONE;
  }

  #named(node: ts.Identifier, path: Path): Kinds {
    const binding = findBinding(node);
    const module = this.#moduleOf(node);
    if (!binding)
      return this.#declared(this.#reader.modules.resolve(module, node.text), node, path);
    const whole = [...binding.path, ...path];
    const { node: declaration } = binding;
    if (ts.isParameter(declaration)) return this.#parameter(declaration, whole);
    const typed = declaration.type ? this.#typed(declaration.type, module, whole) : NONE;
    if (typed.tokens.length > 0) return typed;
    if (declaration.initializer) return this.#initial(declaration, whole);
    const loop = declaration.parent.parent;
    return ts.isForOfStatement(loop) ? this.of(loop.expression, [EACH, ...whole]) : NONE;
  }

  #declared(found: Found | undefined, node: ts.Node, path: Path): Kinds {
    if (found?.is === "namespace") {
      const [step, ...rest] = path;
      return typeof step === "string"
        ? this.#declared(this.#reader.modules.resolveIn(found, step), node, rest)
        : NONE;
    }
    if (found?.is !== "declaration") return NONE;
    const token = path.length === 0 ? declaredToken(this.#reader, found) : undefined;
    if (token) {
      if (!this.#probing) this.followed.add(node);
      return { tokens: [token], parameters: [] };
    }
    const declared = found.node;
    const [step, ...rest] = path;
    if (ts.isClassDeclaration(declared) && typeof step === "string") {
      return this.#field(declared, step, rest);
    }
    return ts.isVariableDeclaration(declared) ? this.#initial(declared, path) : NONE;
  }

  /** The kinds that a variable begins with, and those that are put into it later. */
  #initial(declaration: ts.VariableDeclaration, path: Path): Kinds {
    const first = declaration.initializer ? this.of(declaration.initializer, path) : NONE;
    const [step, ...rest] = path;
    if (step === undefined) return first;
    const later = this.#puts.into(declaration).map(({ value, inMap }) => {
      if (inMap) return rest[0] === "1" ? this.of(value, rest.slice(1)) : NONE;
      return ts.isSpreadElement(value) ? this.of(value.expression, path) : this.of(value, rest);
    });
    return union([first, ...later]);
  }

  /** A field of a class, of what it extends, and of what extends it. */
  #field(node: ts.ClassLikeDeclaration, name: string, path: Path): Kinds {
    return union(
      this.#callees.familyOf(node).flatMap((one) => {
        const { type, values } = fieldOf(one, name);
        const typed = type ? this.#typed(type, this.#moduleOf(one), path) : NONE;
        if (typed.tokens.length > 0) return [typed];
        const getters = one.members.filter(
          (member) => ts.isGetAccessorDeclaration(member) && member.name.getText() === name,
        );
        return [
          ...values.map((value) => this.of(value, path)),
          ...getters.map((getter) => this.#returned(getter, path)),
        ];
      }),
    );
  }

  #parameter(node: ts.ParameterDeclaration, path: Path): Kinds {
    const owner = node.parent;
    const typed = node.type ? this.#typed(node.type, this.#moduleOf(node), path) : NONE;
    if (typed.tokens.length > 0) return typed;
    const index = owner.parameters.indexOf(node);
    const given = index === 0 ? this.#itemsGivenTo(owner, path) : undefined;
    if (given) return given;
    const rest = node.dotDotDotToken !== undefined;
    const usual = node.initializer ? this.of(node.initializer, path) : NONE;
    const part = { owner, index, path: rest ? path.slice(1) : path, rest };
    return union([usual, { tokens: [], parameters: [part] }]);
  }

  /** The items of the list in `list.map((item) => ...)`. */
  #itemsGivenTo(owner: ts.Node, path: Path): Kinds | undefined {
    const call = owner.parent;
    if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression))
      return undefined;
    if (!WITH_EACH.has(call.expression.name.text) || call.arguments[0] !== owner) return undefined;
    const list = call.expression.expression;
    return this.#receivers.of(list)?.is === "client" ? undefined : this.of(list, [EACH, ...path]);
  }

  #access(node: ts.PropertyAccessExpression | ts.ElementAccessExpression, path: Path): Kinds {
    const step = propertyStep(node);
    if (node.expression.kind !== ts.SyntaxKind.ThisKeyword) {
      return this.of(node.expression, [step, ...path]);
    }
    const around = classAround(node);
    if (!around || step === EACH) return NONE;
    return this.#field(around, step, path);
  }

  #items(node: ts.ArrayLiteralExpression, [step, ...rest]: Path): Kinds {
    if (step === undefined) return NONE;
    const items =
      step === EACH ? node.elements : node.elements.slice(Number(step), Number(step) + 1);
    return union(
      items.map((item) =>
        ts.isSpreadElement(item) ? this.of(item.expression, [EACH, ...rest]) : this.of(item, rest),
      ),
    );
  }

  #record(node: ts.ObjectLiteralExpression, path: Path): Kinds {
    const [step, ...rest] = path;
    const spread = node.properties.filter(ts.isSpreadAssignment);
    if (step === undefined) {
      const token = this.#written(node);
      // A copy of an object: `{ ...web, status }`.
      return token ?? union(spread.map(({ expression }) => this.of(expression)));
    }
    const own = node.properties.flatMap((property) => {
      if (step !== EACH && property.name?.getText().replace(/^["']|["']$/g, "") !== step) return [];
      if (ts.isPropertyAssignment(property)) return [this.of(property.initializer, rest)];
      return ts.isShorthandPropertyAssignment(property) ? [this.of(property.name, rest)] : [];
    });
    return own.length > 0 && step !== EACH
      ? union(own)
      : union([...own, ...spread.map(({ expression }) => this.of(expression, path))]);
  }

  /** A token that is written out: `{ group: "example.com", plural: "widgets", ... }`. */
  #written(node: ts.ObjectLiteralExpression): Kinds | undefined {
    const value = evaluate(this.#reader, this.#moduleOf(node), node);
    if (typeof value !== "object" || value === null) return undefined;
    const { group, plural } = value as { group?: unknown; plural?: unknown };
    return typeof group === "string" && typeof plural === "string"
      ? { tokens: [{ group, plural }], parameters: [] }
      : undefined;
  }

  #call(node: ts.CallExpression, path: Path): Kinds {
    const { expression } = node;
    const [first, second] = node.arguments;
    const name = ts.isPropertyAccessExpression(expression)
      ? expression.name.text
      : ts.isIdentifier(expression)
        ? expression.text
        : "";
    if (ts.isPropertyAccessExpression(expression)) {
      const method = this.#method(expression, name, node, path);
      if (method) return method;
    } else if (this.#isOurs(expression)) {
      if (name === "metadataOf") return first ? partly(this.of(first, path)) : NONE;
      if (name === "mutableCopy") return first ? this.of(first, path) : NONE;
      const steps = /^createOr(?:Update|UpdateOwned|Patch)$/.test(name) ? path.slice(1) : path;
      return second ? this.of(second, steps) : NONE;
    }
    const functions = this.#callees.of(node);
    if (functions.length > 0) return union(functions.map((one) => this.#result(one, node, path)));
    // Copies: structuredClone(web), cloneDeep(web).
    return first && node.arguments.length === 1 ? this.of(first, path) : NONE;
  }

  /** The result of a method that is known. */
  #method(
    { expression: on }: ts.PropertyAccessExpression,
    name: string,
    call: ts.CallExpression,
    path: Path,
  ): Kinds | undefined {
    const { arguments: given } = call;
    const [first] = given;
    const [step, ...rest] = path;
    if (ts.isIdentifier(on) && ["Object", "Promise"].includes(on.text)) {
      if (name === "entries")
        return first && step && rest[0] === "1" ? this.of(first, [EACH, ...rest.slice(1)]) : NONE;
      return first ? this.of(first, path) : NONE;
    }
    const receiver = this.#receivers.of(on);
    if (name === "dynamic" && receiver?.is !== "other") {
      const token = path.length === 0 ? this.dynamicToken(call) : undefined;
      if (token && !this.#probing) this.followed.add(call);
      return token ? { tokens: [token], parameters: [] } : NONE;
    }
    const isObject = !this.#probing;
    const speaks = receiver === undefined || ["client", "status"].includes(receiver.is);
    if (speaks && first && given.length >= (RETURNS_LIST.has(name) ? 1 : 2)) {
      if (RETURNS_OBJECT.has(name)) return isObject ? this.of(first, path) : NONE;
      if (RETURNS_LIST.has(name)) {
        return step === undefined || !isObject ? NONE : this.of(first, rest);
      }
    }
    if (receiver && receiver.is !== "other") return NONE;
    // new Set().add(Secret), new Map().set("a", Secret)
    if (["add", "set"].includes(name) && step === EACH) {
      const [before, value] = [this.of(on, path), name === "add" ? first : given[1]];
      const put = name === "add" || rest[0] === "1";
      return put && value
        ? union([before, this.of(value, name === "add" ? rest : rest.slice(1))])
        : before;
    }
    // map.get("a"), and the values of a map or a set.
    if (name === "get" && given.length === 1) return this.of(on, [EACH, "1", ...path]);
    if (name === "values" && step !== undefined) {
      return union([this.of(on, path), this.of(on, [EACH, "1", ...rest])]);
    }
    if (SAME_LIST.has(name)) return step === undefined ? NONE : this.of(on, path);
    if (ONE_ITEM.has(name)) return this.of(on, [EACH, ...path]);
    if (["map", "flatMap"].includes(name) && first && ts.isFunctionLike(first) && step) {
      return this.#returned(first, name === "map" ? rest : path);
    }
    return undefined;
  }

  /** The kinds that a function of the project returns, with the arguments of a call. */
  #result(owner: ts.SignatureDeclaration, call: ts.CallExpression, path: Path): Kinds {
    const typed = owner.type ? this.#typed(owner.type, this.#moduleOf(owner), path) : NONE;
    if (typed.tokens.length > 0) return typed;
    const { tokens, parameters } = this.#returned(owner, path);
    return union([
      { tokens, parameters: parameters.filter((part) => part.owner !== owner) },
      ...parameters.map((part) => {
        const argument = part.owner === owner ? call.arguments[part.index] : undefined;
        return argument ? this.of(argument, part.path) : NONE;
      }),
    ]);
  }

  #returned(owner: ts.Node, path: Path): Kinds {
    const { body } = owner as ts.FunctionLikeDeclaration;
    if (!body) return NONE;
    if (!ts.isBlock(body)) return this.of(body, path);
    const found: Kinds[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) return;
      if (ts.isReturnStatement(node) && node.expression) found.push(this.of(node.expression, path));
      ts.forEachChild(node, visit);
    };
    ts.forEachChild(body, visit);
    return union(found);
  }

  /** The kind of the objects, or tokens, that a written type has. */
  #typed(type: ts.TypeNode, module: Module, path: Path): Kinds {
    const { modules } = this.#reader;
    if (
      this.#probing &&
      !/\b(?:typeof|Token|ReadToken|MetadataToken|ResourceType)\b/.test(type.getText())
    ) {
      return NONE;
    }
    const tokens = partsOf(modules, { node: type, module }, path).flatMap((part) => {
      const found = ts.isTypeReferenceNode(part.node)
        ? typeNamed(modules, part.module, part.node)
        : ts.isTypeQueryNode(part.node) && ts.isIdentifier(part.node.exprName)
          ? modules.resolve(part.module, part.node.exprName.text)
          : undefined;
      const token = declaredToken(this.#reader, found);
      return token ? [token] : [];
    });
    return union([{ tokens, parameters: [] }]);
  }

  #isOurs(expression: ts.Expression): boolean {
    if (!ts.isIdentifier(expression) || findBinding(expression)) return false;
    return this.#reader.modules.resolve(this.#moduleOf(expression), expression.text)?.is === "tsop";
  }

  #moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }
}
