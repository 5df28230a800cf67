/**
 * The receiver of a method: a client, its status, a builder of controllers, or something that has
 * nothing to do with the API.
 */
import { ts } from "../load.ts";
import { evaluate } from "../read/code/evaluate.ts";
import type { Module } from "../read/code/module.ts";
import type { Found } from "../read/code/modules.ts";
import type { Reader } from "../read/code/reader.ts";
import {
  EACH,
  type Path,
  classAround,
  fieldOf,
  findBinding,
  plain,
  propertyStep,
} from "./bindings.ts";
import { partsOf, typeNamed } from "./types.ts";
import { tableOf } from "../../table.ts";

/** The known facts about a receiver. */
export interface Receiver {
  readonly is:
    | "client"
    | "status"
    | "pods"
    | "subresource"
    | "manager"
    | "cache"
    | "builder"
    | "recorder"
    | "other";
  /** Whether reads go to the server in any case. */
  readonly live?: boolean;
  /** The subresource, such as `scale`; absent where it is not known. */
  readonly subresource?: string;
}

const OTHER: Receiver = { is: "other" };

/** The types of `tsop` that speak with the API. */
const TYPES = tableOf<Receiver>({
  Client: { is: "client" },
  Reader: { is: "client" },
  StatusClient: { is: "status" },
  PodClient: { is: "pods" },
  SubresourceClient: { is: "subresource" },
  Manager: { is: "manager" },
  Cache: { is: "cache" },
  ControllerBuilder: { is: "builder" },
  // A builder's later watches are watches of the kind that it names.
  Controller: { is: "builder" },
  EventRecorder: { is: "recorder" },
});

/** The results of `tsop`'s functions. */
const RESULTS = tableOf<Receiver>({
  createClient: { is: "client", live: true },
  createManager: { is: "manager" },
  controllerFor: { is: "builder" },
});

const MAX_STEPS = 20;

/** Finds out the receivers of methods. */
export class Receivers {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The receiver that an expression is; `undefined` where that cannot be read. */
  of(expression: ts.Expression, path: Path = [], steps = 0): Receiver | undefined {
    if (steps > MAX_STEPS) return undefined;
    const node = plain(expression);
    const next = (at: ts.Expression, rest: Path): Receiver | undefined =>
      this.of(at, rest, steps + 1);
    if (ts.isIdentifier(node)) return this.#named(node, path, next);
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      const step = propertyStep(node);
      return node.expression.kind === ts.SyntaxKind.ThisKeyword
        ? this.#field(node, step, path, next)
        : next(node.expression, [step, ...path]);
    }
    if (ts.isConditionalExpression(node))
      return next(node.whenTrue, path) ?? next(node.whenFalse, path);
    if (ts.isBinaryExpression(node)) return next(node.left, path) ?? next(node.right, path);
    if (ts.isCallExpression(node)) return along(this.#result(node, next), path);
    if (ts.isObjectLiteralExpression(node)) return this.#member(node, path, next);
    const isValue =
      ts.isNewExpression(node) || ts.isArrayLiteralExpression(node) || ts.isLiteralExpression(node);
    return isValue ? OTHER : undefined;
  }

  #named(
    node: ts.Identifier,
    path: Path,
    next: (at: ts.Expression, rest: Path) => Receiver | undefined,
  ): Receiver | undefined {
    const module = this.#moduleOf(node);
    const binding = findBinding(node);
    if (binding) {
      const { type, initializer } = binding.node;
      const whole = [...binding.path, ...path];
      const typed = type && this.#typed(type, module, whole);
      return typed ?? (initializer && next(initializer, whole));
    }
    const found = this.#reader.modules.resolve(module, node.text);
    if (found?.is === "namespace") {
      const [step, ...rest] = path;
      const member =
        typeof step === "string" ? this.#reader.modules.resolveIn(found, step) : undefined;
      return this.#declared(member, rest, next);
    }
    return this.#declared(found, path, next);
  }

  #declared(
    found: Found | undefined,
    path: Path,
    next: (at: ts.Expression, rest: Path) => Receiver | undefined,
  ): Receiver | undefined {
    if (found?.is !== "declaration") return undefined;
    const { node, module } = found;
    if (!ts.isVariableDeclaration(node)) return OTHER;
    const typed = node.type && this.#typed(node.type, module, path);
    return typed ?? (node.initializer && next(node.initializer, path));
  }

  #field(
    node: ts.Node,
    name: string | typeof EACH,
    path: Path,
    next: (at: ts.Expression, rest: Path) => Receiver | undefined,
  ): Receiver | undefined {
    const around = classAround(node);
    if (!around || name === EACH) return undefined;
    const { type, values } = fieldOf(around, name);
    const typed = type && this.#typed(type, this.#moduleOf(node), path);
    return typed ?? values.map((value) => next(value, path)).find((one) => one !== undefined);
  }

  #member(
    node: ts.ObjectLiteralExpression,
    [step, ...rest]: Path,
    next: (at: ts.Expression, rest: Path) => Receiver | undefined,
  ): Receiver | undefined {
    if (step === undefined) return OTHER;
    for (const property of node.properties) {
      if (property.name?.getText() !== step) continue;
      if (ts.isPropertyAssignment(property)) return next(property.initializer, rest);
      if (ts.isShorthandPropertyAssignment(property)) return next(property.name, rest);
    }
    return undefined;
  }

  #result(
    node: ts.CallExpression,
    next: (at: ts.Expression, rest: Path) => Receiver | undefined,
  ): Receiver | undefined {
    const { expression } = node;
    if (ts.isIdentifier(expression)) {
      const found = this.#reader.modules.resolve(this.#moduleOf(node), expression.text);
      if (found?.is === "tsop") return RESULTS.get(found.name) ?? OTHER;
      const type =
        found?.is === "declaration" && ts.isFunctionDeclaration(found.node)
          ? found.node.type
          : undefined;
      return type && found?.is === "declaration" ? this.#typed(type, found.module, []) : undefined;
    }
    if (!ts.isPropertyAccessExpression(expression)) return undefined;
    const on = next(expression.expression, []);
    const { text } = expression.name;
    if (on?.is === "builder") return on;
    if (on?.is === "manager") return text === "recorder" ? { is: "recorder" } : OTHER;
    if (text !== "subresource") return on && OTHER;
    const [argument] = node.arguments;
    const name = argument && evaluate(this.#reader, this.#moduleOf(node), argument);
    return { is: "subresource", ...(typeof name === "string" ? { subresource: name } : {}) };
  }

  /**
   * The receiver that a written type is; a class or an interface of the project is none of ours
   * unless it extends one.
   */
  #typed(type: ts.TypeNode, module: Module, path: Path): Receiver | undefined {
    for (let count = path.length; count >= 0; count--) {
      for (const part of partsOf(
        this.#reader.modules,
        { node: type, module },
        path.slice(0, count),
      )) {
        const known = along(this.#nameOf(part.node, part.module), path.slice(count));
        if (known) return known;
      }
    }
    return undefined;
  }

  #nameOf(node: ts.TypeNode, module: Module): Receiver | undefined {
    if (!ts.isTypeReferenceNode(node)) return undefined;
    const found = typeNamed(this.#reader.modules, module, node);
    if (found?.is === "tsop") return TYPES.get(found.name) ?? OTHER;
    if (found?.is === "declaration") {
      const { node: declared, module: file } = found;
      const heritage =
        ts.isInterfaceDeclaration(declared) || ts.isClassLike(declared)
          ? (declared.heritageClauses ?? []).flatMap(({ types }) => [...types])
          : [];
      for (const { expression } of heritage) {
        const base = ts.isIdentifier(expression)
          ? this.#reader.modules.resolve(file, expression.text)
          : undefined;
        const known = base?.is === "tsop" ? TYPES.get(base.name) : undefined;
        if (known) return known;
      }
      return OTHER;
    }
    const { typeName } = node;
    if (!ts.isIdentifier(typeName)) return OTHER;
    const foreign =
      module.imports.has(typeName.text) || /^(?:Weak)?(?:Map|Set)$/.test(typeName.text);
    return foreign ? OTHER : undefined;
  }

  #moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }
}

/** The part of a receiver that a path leads to. */
function along(receiver: Receiver | undefined, path: Path): Receiver | undefined {
  let at = receiver;
  for (const step of path) {
    if (!at) return undefined;
    at = partOf(at, step);
  }
  return at;
}

function partOf(receiver: Receiver, step: string | typeof EACH): Receiver {
  if (receiver.is === "manager") {
    if (step === "client") return { is: "client" };
    if (step === "cache") return { is: "cache" };
  }
  if (receiver.is === "client") {
    if (step === "live") return { is: "client", live: true };
    if (step === "status") return { is: "status" };
    if (step === "pods") return { is: "pods" };
  }
  return OTHER;
}
