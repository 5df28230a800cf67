/**
 * What the code does with the API: the calls on clients, builders and recorders, as rights that they need.
 *
 * The calls are read from the syntax. A call counts when its first argument stands for a kind; an object's
 * kind is that of its annotation, or of the call that it came from. What cannot be followed is not guessed:
 * it is noted as such, so that nobody is told that a right is unused which may be used there.
 *
 * @module
 */
import { ts } from "../load.ts";
import type { Position, UseModel, UsesModel } from "../model.ts";
import { evaluate } from "./evaluate.ts";
import type { Module } from "./module.ts";
import { objectKind } from "./object-kind.ts";
import type { Reader } from "./reader.ts";
import { type TokenModel, tokenOf } from "./token.ts";

interface CallRights {
  /** Where the token stands among the arguments. */
  readonly token: number;
  /** Fewer arguments than this are another method of that name: `map.get(MyWeb)`. */
  readonly least: number;
  readonly verbs: readonly string[];
  /** The verbs without a cache in between. */
  readonly live?: readonly string[];
}

const CACHED = ["list", "watch"];

/** The methods of clients, readers and builders by name. */
const METHODS: Readonly<Record<string, CallRights>> = {
  get: { token: 0, least: 2, verbs: CACHED, live: ["get"] },
  find: { token: 0, least: 2, verbs: CACHED, live: ["get"] },
  list: { token: 0, least: 1, verbs: CACHED, live: ["list"] },
  listAll: { token: 0, least: 1, verbs: CACHED, live: ["list"] },
  watch: { token: 0, least: 1, verbs: ["watch"] },
  create: { token: 0, least: 2, verbs: ["create"] },
  update: { token: 0, least: 2, verbs: ["update"] },
  patch: { token: 0, least: 3, verbs: ["patch"] },
  apply: { token: 0, least: 2, verbs: ["create", "patch"] },
  delete: { token: 0, least: 2, verbs: ["delete"] },
  deleteAllOf: { token: 0, least: 1, verbs: ["deletecollection"] },
  for: { token: 0, least: 1, verbs: CACHED },
  owns: { token: 0, least: 1, verbs: CACHED },
  watches: { token: 0, least: 2, verbs: CACHED },
  handles: { token: 0, least: 2, verbs: CACHED },
};

/** The functions of `tsop` that take a client and a token. */
const FUNCTIONS: Readonly<Record<string, CallRights>> = {
  createOrUpdate: { token: 1, least: 3, verbs: [...CACHED, "create", "update"] },
  addFinalizer: { token: 1, least: 4, verbs: ["patch"] },
  removeFinalizer: { token: 1, least: 4, verbs: ["patch"] },
};

/** What a parameter of the user's own function is used for: rights of whoever calls it. */
interface Forwarded {
  readonly index: number;
  readonly suffix: string;
  readonly verbs: readonly string[];
}

/** Reads the calls of a project's files. */
export class UsesReader {
  readonly #reader: Reader;
  readonly #uses: UseModel[] = [];
  readonly #escaped = new Set<string>();
  readonly #forwarded = new Map<ts.Node, Forwarded[]>();
  #dynamic = false;
  #unknownStatus = false;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Reads all files: twice, because a function's calls say what its callers need. */
  read(modules: readonly Module[]): UsesModel {
    for (const module of modules) this.#walk(module, module.file, false);
    for (const module of modules) this.#walk(module, module.file, true);
    return {
      uses: this.#uses,
      escaped: this.#escaped,
      dynamic: this.#dynamic,
      unknownStatus: this.#unknownStatus,
    };
  }

  #walk(module: Module, node: ts.Node, callers: boolean): void {
    if (ts.isCallExpression(node)) {
      if (callers) this.#readCaller(module, node);
      else this.#readCall(module, node);
    }
    ts.forEachChild(node, (child) => {
      this.#walk(module, child, callers);
    });
  }

  #readCall(module: Module, call: ts.CallExpression): void {
    const { expression } = call;
    if (ts.isIdentifier(expression)) {
      const found = this.#reader.modules.resolve(module, expression.text);
      const rights = found?.is === "tsop" ? FUNCTIONS[found.name] : undefined;
      if (rights) this.#take(module, call, rights, expression.text, "", rights.verbs);
      return;
    }
    if (!ts.isPropertyAccessExpression(expression)) return;
    const name = expression.name.text;
    const receiver = expression.expression;
    if (name === "dynamic") this.#dynamic = true;
    if (name === "event" && call.arguments.length === 2) this.#event(module, call);
    if (isNamed(receiver, "status") && (name === "patch" || name === "update")) {
      this.#status(module, call, name);
      return;
    }
    const rights = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (!rights) return;
    const suffix = this.#subresource(module, receiver);
    if (suffix === undefined) return;
    const verbs =
      suffix === "/status" && name === "apply"
        ? ["patch"]
        : (suffix !== "" || isLive(module, receiver)) && rights.live
          ? rights.live
          : rights.verbs;
    this.#take(module, call, rights, `${lastName(receiver)}.${name}`, suffix, verbs);
  }

  /** `/scale` for `client.subresource("scale")`; `undefined` where the name is not known. */
  #subresource(module: Module, receiver: ts.Expression): string | undefined {
    if (isNamed(receiver, "status")) return "/status";
    if (!ts.isCallExpression(receiver) || !isNamed(receiver.expression, "subresource")) return "";
    const [argument] = receiver.arguments;
    const name = argument && evaluate(this.#reader, module, argument);
    return typeof name === "string" ? `/${name}` : undefined;
  }

  #take(
    module: Module,
    call: ts.CallExpression,
    { token: index, least }: CallRights,
    shown: string,
    suffix: string,
    verbs: readonly string[],
  ): void {
    const argument = call.arguments[index];
    if (!argument || call.arguments.length < least) return;
    const token = tokenOf(this.#reader, module, argument);
    if (token) {
      this.#use(module, call, token, suffix, verbs, shown, argument.getText(module.file));
    } else if (ts.isIdentifier(argument)) {
      forward(argument, { suffix, verbs }, this.#forwarded);
    }
  }

  #status(module: Module, call: ts.CallExpression, verb: string): void {
    const [object] = call.arguments;
    const kind = object && objectKind(this.#reader, module, object);
    if (kind) this.#use(module, call, kind, "/status", [verb], `status.${verb}`, "");
    else this.#unknownStatus = true;
  }

  #event(module: Module, call: ts.CallExpression): void {
    const [, details] = call.arguments;
    if (!details || !ts.isObjectLiteralExpression(details)) return;
    const names = details.properties.map((property) => property.name?.getText(module.file));
    if (!names.includes("reason") || !names.includes("message")) return;
    const events = { group: "", plural: "events" };
    this.#use(module, call, events, "", ["create", "patch"], "event", "");
  }

  #use(
    module: Module,
    call: ts.CallExpression,
    { group, plural }: TokenModel,
    suffix: string,
    verbs: readonly string[],
    shown: string,
    token: string,
  ): void {
    const at: Position = this.#reader.modules.at(module, call);
    this.#uses.push({ group, resource: plural + suffix, verbs, shown, token, at });
  }

  /** Kinds that are handed to functions: what those do with them is known, or it is not. */
  #readCaller(module: Module, call: ts.CallExpression): void {
    if (this.#isKnown(module, call)) return;
    const target = declarationOf(this.#reader, module, call);
    const forwarded = (target && this.#forwarded.get(target)) ?? [];
    call.arguments.forEach((argument, index) => {
      const token = tokenOf(this.#reader, module, argument);
      if (!token) return;
      const here = forwarded.filter((entry) => entry.index === index);
      if (here.length === 0) this.#escaped.add(`${token.plural}.${token.group}`);
      for (const { suffix, verbs } of here) {
        const shown = lastName(call.expression);
        this.#use(module, call, token, suffix, verbs, shown, argument.getText(module.file));
      }
    });
  }

  /** A call that `#readCall` has read, or that is a marker. */
  #isKnown(module: Module, call: ts.CallExpression): boolean {
    if (ts.isDecorator(call.parent)) return true;
    const { expression } = call;
    if (ts.isPropertyAccessExpression(expression)) {
      return Object.hasOwn(METHODS, expression.name.text);
    }
    if (!ts.isIdentifier(expression)) return false;
    return this.#reader.modules.resolve(module, expression.text)?.is === "tsop";
  }
}

const isNamed = (node: ts.Expression, name: string): boolean =>
  ts.isPropertyAccessExpression(node) && node.name.text === name;

/** `client.live.get(...)`, or a client that was made without a cache. */
function isLive(module: Module, receiver: ts.Expression): boolean {
  if (isNamed(receiver, "live")) return true;
  return (
    ts.isIdentifier(receiver) &&
    new RegExp(`\\b${receiver.text}\\s*=\\s*createClient\\(`).test(module.file.text)
  );
}

function lastName(node: ts.Expression): string {
  if (ts.isPropertyAccessExpression(node)) return node.name.text.replace(/^#/, "");
  if (ts.isIdentifier(node)) return node.text;
  return ts.isCallExpression(node) ? lastName(node.expression) : "client";
}

/** Notes that a function uses its parameter as a token. */
function forward(
  argument: ts.Identifier,
  use: Omit<Forwarded, "index">,
  forwarded: Map<ts.Node, Forwarded[]>,
): void {
  for (let node: ts.Node = argument; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isFunctionLike(node)) continue;
    const index = node.parameters.findIndex(
      ({ name }) => ts.isIdentifier(name) && name.text === argument.text,
    );
    if (index < 0) continue;
    forwarded.set(node, [...(forwarded.get(node) ?? []), { ...use, index }]);
    return;
  }
}

/** The function that a call calls: declared in a file of the project, or a method of the same class. */
function declarationOf(
  reader: Reader,
  module: Module,
  { expression }: ts.CallExpression,
): ts.Node | undefined {
  if (ts.isIdentifier(expression)) {
    const found = reader.modules.resolve(module, expression.text);
    if (found?.is !== "declaration") return undefined;
    return ts.isVariableDeclaration(found.node) ? found.node.initializer : found.node;
  }
  if (
    !ts.isPropertyAccessExpression(expression) ||
    expression.expression.kind !== ts.SyntaxKind.ThisKeyword
  ) {
    return undefined;
  }
  for (let node: ts.Node = expression; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isClassLike(node)) continue;
    return node.members.find((member) => member.name?.getText() === expression.name.text);
  }
  return undefined;
}
