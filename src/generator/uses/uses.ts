/**
 * What the code does with the API: the calls on clients, builders and recorders, as rights that they need.
 *
 * What cannot be followed is not guessed: it is noted as such, so that nobody is told that a right is unused
 * which may be used there.
 *
 * @module
 */
import { EVENT_VERBS, LEASE_VERBS } from "../../kube/needed-rights.ts";
import { ts } from "../load.ts";
import type { UseModel, UsesModel } from "../model.ts";
import type { Module } from "../read/module.ts";
import type { Reader } from "../read/reader.ts";
import { type TokenModel, tokenOf } from "../read/token.ts";
import { EACH, type Path, findBinding, plain } from "./bindings.ts";
import { Callees } from "./callees.ts";
import { type CallRights, functionRights, methodRights } from "./calls.ts";
import { KindFlow, type ParameterPart } from "./kind-flow.ts";
import { type Receiver, Receivers } from "./receivers.ts";

type Call = ts.CallExpression | ts.NewExpression;

/** What a call does with a kind. */
interface Deed {
  readonly suffix: string;
  readonly verbs: readonly string[];
  readonly watched?: readonly string[];
  readonly watches?: boolean;
  /** It is handed to code that cannot be read. */
  readonly escapes?: boolean;
}

interface FoundUse extends UseModel {
  readonly watched?: readonly string[];
}

/** A part of a parameter with which something is done: what callers hand in there. */
interface Forwarded extends Deed {
  readonly index: number;
  readonly path: Path;
  readonly rest: boolean;
}

/** A method, and what it is called on. */
interface Method {
  readonly name: string;
  readonly on: ts.Expression;
  readonly path: Path;
}

/** Events may be written there, whether or not the call can be read. */
const RECORDS = /\bEventRecorder\b|\.recorder\(/;

const nameOf = ({ plural, group }: TokenModel): string => `${plural}.${group}`;

/** Reads the calls of a project's files. */
export class UsesReader {
  readonly #reader: Reader;
  readonly #callees: Callees;
  readonly #receivers: Receivers;
  readonly #flow: KindFlow;
  readonly #uses: FoundUse[] = [];
  readonly #watched = new Set<string>();
  readonly #escaped = new Set<string>();
  readonly #forwarded = new Map<ts.Node, Map<string, Forwarded>>();
  readonly #callers = new Map<ts.Node, Call[]>();
  readonly #queue: { readonly owner: ts.Node; readonly forwarded: Forwarded }[] = [];
  readonly #leaseIsGranted: boolean;
  #dynamic = false;
  #elects = false;
  #unknownStatus = false;

  /** @param leaseIsGranted - a role that is not generated lets the operator hold its lease */
  constructor(reader: Reader, leaseIsGranted: boolean) {
    this.#reader = reader;
    this.#leaseIsGranted = leaseIsGranted;
    this.#callees = new Callees(reader);
    this.#receivers = new Receivers(reader);
    this.#flow = new KindFlow(reader, this.#receivers, this.#callees);
  }

  /** Reads all files. What functions do with their parameters, their callers do with what they hand in. */
  read(modules: readonly Module[]): UsesModel {
    for (const { file } of modules) this.#walk(file);
    for (const { owner, forwarded } of this.#queue) {
      for (const call of this.#callers.get(owner) ?? []) this.#readCaller(call, forwarded);
    }
    for (const module of modules) this.#findEscapes(module, module.file);
    return {
      uses: this.#uses.map(({ watched, ...use }) =>
        watched && this.#watched.has(`${use.resource}.${use.group}`)
          ? { ...use, verbs: watched }
          : use,
      ),
      escaped: this.#escaped,
      dynamic: this.#dynamic,
      elects: this.#elects,
      records: modules.some(({ file }) => RECORDS.test(file.text)),
      unknownStatus: this.#unknownStatus,
    };
  }

  #walk(node: ts.Node): void {
    if (ts.isDecorator(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#readCall(node);
    ts.forEachChild(node, (child) => {
      this.#walk(child);
    });
  }

  #readCall(call: Call): void {
    if (ts.isCallExpression(call) && this.#readRights(call)) return;
    const functions = this.#callees.of(call);
    for (const owner of functions) {
      this.#callers.set(owner, [...(this.#callers.get(owner) ?? []), call]);
    }
    if (functions.length > 0) return;
    for (const argument of call.arguments ?? []) this.#handToUnknown(argument);
  }

  /** Reads a call of `tsop`; false when it is none. */
  #readRights(call: ts.CallExpression): boolean {
    const callee = plain(call.expression);
    if (ts.isIdentifier(callee) && !findBinding(callee)) {
      const found = this.#reader.modules.resolve(this.#moduleOf(call), callee.text);
      if (found?.is !== "tsop") return false;
      const rights = functionRights(found.name);
      if (rights) this.#take(call, rights, found.name, "");
      if (found.name === "createManager" && namesLeaderElection(call)) this.#elect(call);
      return true;
    }
    const method = methodOf(callee);
    if (!method) return false;
    const receiver = this.#receiverOf(method);
    const { name } = method;
    if (receiver === undefined && this.#callees.of(call).length > 0) return false;
    if (name === "dynamic" && receiver?.is !== "other") this.#dynamic = true;
    if (name === "event" && this.#event(call, receiver)) return true;
    const rights = methodRights(receiver, name);
    if (!rights || call.arguments.length < rights.least) return false;
    const suffix = suffixOf(receiver);
    if (suffix === undefined) return true;
    const shown = `${lastName(method.on)}.${name}`;
    return this.#take(call, rights, shown, suffix) || receiver !== undefined;
  }

  #receiverOf({ on, path }: Method): Receiver | undefined {
    const known = this.#receivers.of(on, path);
    if (known) return known;
    const step = path.at(-1) ?? (ts.isPropertyAccessExpression(on) ? on.name.text : "");
    if (step === "status") return { is: "status" };
    return step === "live" ? { is: "client", live: true } : undefined;
  }

  /** Notes what a call needs; false when it is not known of which kind. */
  #take(call: ts.CallExpression, rights: CallRights, shown: string, suffix: string): boolean {
    const argument = call.arguments[rights.kind];
    if (!argument || call.arguments.length < rights.least) return false;
    const { tokens, parameters } = this.#flow.of(argument, rights.path);
    const { watches } = rights;
    const { verbs, watched } = namesOwner(call) ? ownerRights(rights) : rights;
    const deed: Deed = {
      suffix,
      verbs,
      ...(watched ? { watched } : {}),
      ...(watches ? { watches } : {}),
    };
    const isObject = suffix === "/status" && !shown.endsWith(".apply");
    const token = isObject ? "" : argument.getText();
    for (const found of tokens) this.#use(call, found, deed, shown, token);
    for (const part of parameters) this.#forward(part, deed);
    if (tokens.length > 0 || parameters.length > 0) return true;
    if (suffix === "/status") this.#unknownStatus = true;
    return false;
  }

  #event(call: ts.CallExpression, receiver: Receiver | undefined): boolean {
    const [, details] = call.arguments;
    if (!details || call.arguments.length !== 2) return false;
    if (receiver?.is !== "recorder") {
      if (receiver || !ts.isObjectLiteralExpression(details)) return false;
      const names = details.properties.map((property) => property.name?.getText());
      if (!names.includes("reason") || !names.includes("message")) return false;
    }
    const events = { group: "", plural: "events" };
    this.#use(call, events, { suffix: "", verbs: EVENT_VERBS }, "event", "");
    return true;
  }

  #elect(call: ts.CallExpression): void {
    this.#elects = true;
    if (this.#leaseIsGranted) return;
    const leases = { group: "coordination.k8s.io", plural: "leases" };
    const deed = { suffix: "", verbs: LEASE_VERBS };
    this.#use(call, leases, deed, "createManager", "");
  }

  #use(call: Call, kind: TokenModel, deed: Deed, shown: string, token: string): void {
    const { suffix, verbs, watched, watches, escapes } = deed;
    if (watches) this.#watched.add(nameOf(kind));
    if (escapes) this.#escaped.add(nameOf(kind));
    if (verbs.length === 0) return;
    const at = this.#reader.modules.at(this.#moduleOf(call), call);
    const resource = kind.plural + suffix;
    const use = { group: kind.group, resource, verbs, shown, token, at };
    this.#uses.push(watched ? { ...use, watched } : use);
  }

  #forward({ owner, index, path, rest }: ParameterPart, deed: Deed): void {
    const forwarded = { ...deed, index, path, rest };
    const { suffix, verbs, watches, escapes } = deed;
    const key = [index, path.map(String), suffix, verbs, watches, escapes].join(" ");
    const known = this.#forwarded.get(owner) ?? new Map<string, Forwarded>();
    this.#forwarded.set(owner, known);
    if (known.has(key)) return;
    known.set(key, forwarded);
    this.#queue.push({ owner, forwarded });
  }

  /** A call of a function that does something with a parameter. */
  #readCaller(call: Call, { index, path, rest, ...deed }: Forwarded): void {
    const given = call.arguments?.slice(index, rest ? undefined : index + 1) ?? [];
    const shown = lastName(call.expression);
    for (const argument of given) {
      const { tokens, parameters } = ts.isSpreadElement(argument)
        ? this.#flow.of(argument.expression, [EACH, ...path])
        : this.#flow.of(argument, path);
      const token = path.length === 0 && tokens.length === 1 ? tokenText(argument) : "";
      for (const found of tokens) this.#use(call, found, deed, shown, token);
      for (const part of parameters) this.#forward(part, deed);
    }
  }

  /** A parameter that stands for a kind and is handed to code that cannot be read. */
  #handToUnknown(argument: ts.Expression): void {
    const node = plain(argument);
    if (!ts.isIdentifier(node)) return;
    const binding = findBinding(node);
    if (!binding || !ts.isParameter(binding.node)) return;
    if (
      !/\b(?:Token|ReadToken|MetadataToken|ResourceType)\b/.test(binding.node.type?.getText() ?? "")
    )
      return;
    for (const part of this.#flow.of(node).parameters) {
      this.#forward(part, { suffix: "", verbs: [], escapes: true });
    }
  }

  /** Kinds that are named where it is not known what becomes of them. */
  #findEscapes(module: Module, node: ts.Node): void {
    const isSilent =
      ts.isDecorator(node) ||
      ts.isTypeNode(node) ||
      ts.isImportDeclaration(node) ||
      ts.isExportDeclaration(node) ||
      ts.isHeritageClause(node);
    if (isSilent) return;
    if (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) {
      const name = ts.isIdentifier(node) ? node : node.expression;
      const isValue = ts.isIdentifier(node) ? isValueOf(node) : true;
      const token =
        isValue && !this.#flow.followed.has(name) && !isLocal(name)
          ? tokenOf(this.#reader, module, node)
          : undefined;
      if (token) this.#escaped.add(nameOf(token));
      if (token ?? ts.isIdentifier(node)) return;
    }
    ts.forEachChild(node, (child) => {
      this.#findEscapes(module, child);
    });
  }

  #moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }
}

/** A name that a function or a block declares hides that of the file. */
function isLocal(node: ts.Expression): boolean {
  const binding = ts.isIdentifier(node) ? findBinding(node) : undefined;
  return binding !== undefined && (ts.isParameter(binding.node) || !isTopLevel(binding.node));
}

const isTopLevel = ({ parent }: ts.VariableDeclaration): boolean =>
  ts.isSourceFile(parent.parent.parent);

/** Whether a name stands for a value that goes somewhere: not a declaration, a property, or what is asked for one. */
function isValueOf(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return false;
  if (ts.isNewExpression(parent)) return parent.expression !== node;
  if (ts.isBinaryExpression(parent)) {
    return parent.operatorToken.kind !== ts.SyntaxKind.InstanceOfKeyword;
  }
  if (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) {
    return parent.initializer === node;
  }
  return !ts.isClassLike(parent) && !ts.isFunctionLike(parent) && !ts.isBindingElement(parent);
}

/** The method that a callee is: `client.get`, or a name for it. */
function methodOf(callee: ts.Expression): Method | undefined {
  if (ts.isPropertyAccessExpression(callee)) {
    return { name: callee.name.text, on: callee.expression, path: [] };
  }
  if (ts.isElementAccessExpression(callee)) {
    const { argumentExpression: key } = callee;
    return ts.isStringLiteralLike(key)
      ? { name: key.text, on: callee.expression, path: [] }
      : undefined;
  }
  const binding = ts.isIdentifier(callee) ? findBinding(callee) : undefined;
  if (!binding?.node.initializer) return undefined;
  const name = binding.path.at(-1);
  // const { get } = client
  if (typeof name === "string") {
    return { name, on: binding.node.initializer, path: binding.path.slice(0, -1) };
  }
  const value = plain(binding.node.initializer);
  // const get = client.get.bind(client)
  const bound =
    ts.isCallExpression(value) && ts.isPropertyAccessExpression(value.expression)
      ? value.expression.name.text === "bind" && value.expression.expression
      : value;
  return bound && ts.isPropertyAccessExpression(bound) ? methodOf(bound) : undefined;
}

/** The part of a path behind the kind: `/status`; `undefined` where it is not known. */
function suffixOf(receiver: Receiver | undefined): string | undefined {
  if (receiver?.is === "status") return "/status";
  if (receiver?.is !== "subresource") return "";
  return receiver.subresource === undefined ? undefined : `/${receiver.subresource}`;
}

function lastName(node: ts.Expression): string {
  const at = plain(node);
  if (ts.isPropertyAccessExpression(at)) return at.name.text.replace(/^#/, "");
  if (ts.isIdentifier(at)) return at.text;
  return ts.isCallExpression(at) ? lastName(at.expression) : "client";
}

/** An argument, where it can be written again as the token of a marker. */
function tokenText(node: ts.Expression): string {
  const text = plain(node).getText();
  return /^[\w$.]+$/.test(text) ? text : "";
}

/** Whether the options of a call name an owner: `{ owner: web }`. */
function namesOwner({ arguments: given }: ts.CallExpression): boolean {
  const options = given[2];
  return (
    options !== undefined &&
    ts.isObjectLiteralExpression(options) &&
    options.properties.some(({ name }) => name?.getText() === "owner")
  );
}

/** What a call needs for an owner. */
function ownerRights({
  verbs,
  watched,
  forOwner,
}: CallRights): Pick<CallRights, "verbs" | "watched"> {
  if (forOwner) return { verbs: [...forOwner, ...verbs], watched: verbs };
  return { verbs, ...(watched ? { watched } : {}) };
}

function namesLeaderElection(call: ts.CallExpression): boolean {
  const names = (node: ts.Node): boolean =>
    ((ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) &&
      node.name.getText() === "leaderElection") ||
    ts.forEachChild(node, names) === true;
  return call.arguments.some(names);
}
