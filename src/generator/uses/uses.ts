/**
 * The code's uses of the API: the calls on clients, builders and recorders, as rights that they
 * need.
 *
 * A use that cannot be followed is noted as such, so that its right does not count as unused.
 */
import {
  EVENT_VERBS,
  FINALIZER_PATCH_VERBS,
  FINALIZER_VERBS,
  LEASE_VERBS,
  SHARD_LEASE_VERBS,
} from "../../kube/needed-rights.ts";
import { ts } from "../load.ts";
import type { KindModel, Position, UsesModel } from "../model.ts";
import type { Module } from "../read/code/module.ts";
import type { Reader } from "../read/code/reader.ts";
import { type TokenModel, tokenOf } from "../read/marks/token.ts";
import { EACH, type Path, findBinding, plain } from "./bindings.ts";
import { Callees } from "./callees.ts";
import {
  type CallRights,
  functionRights,
  methodRights,
  ownerRights,
  podRights,
  suffixOf,
} from "./calls.ts";
import { findEscapes } from "./escapes.ts";
import { type Call, type Deed, FoundUses } from "./found-uses.ts";
import { KindFlow } from "./kind-flow.ts";
import type { ParameterPart } from "./kinds.ts";
import {
  type Method,
  builtFor,
  isLocal,
  lastName,
  mayChangeStatus,
  methodOf,
  namesOption,
  ownerIn,
} from "./methods.ts";
import { Puts } from "./puts.ts";
import { type Receiver, Receivers } from "./receivers.ts";

/** A part of a parameter with which something is done: what callers hand in there. */
interface Forwarded extends Deed {
  readonly index: number;
  readonly path: Path;
  readonly rest: boolean;
  readonly partial: boolean;
}

/** The words of code that may write events, whether or not the call can be read. */
const RECORDS = /\bEventRecorder\b|\.recorder\(/;

const PODS: TokenModel = { group: "", plural: "pods" };
const EVENTS: TokenModel = { group: "", plural: "events" };
const LEASES: TokenModel = { group: "coordination.k8s.io", plural: "leases" };

/** The place that was being read, for the message when it is too much. */
export interface Whereabouts {
  readonly at: Position;
  readonly what: string;
}

/** Reads the calls of a project's files. */
export class UsesReader {
  readonly #reader: Reader;
  readonly #callees: Callees;
  readonly #receivers: Receivers;
  readonly #puts: Puts;
  readonly #flow: KindFlow;
  readonly #found: FoundUses;
  readonly #forwarded = new Map<ts.Node, Map<string, Forwarded>>();
  readonly #callers = new Map<ts.Node, Call[]>();
  readonly #unknown: Call[] = [];
  readonly #queue: { readonly owner: ts.Node; readonly forwarded: Forwarded }[] = [];
  readonly #leaseIsGranted: boolean;
  #dynamic = false;
  #elects = false;
  #unknownStatus = false;
  #here: ts.Node | undefined;

  /** @param leaseIsGranted - a role that is not generated lets the operator hold its lease */
  constructor(reader: Reader, leaseIsGranted: boolean) {
    this.#reader = reader;
    this.#leaseIsGranted = leaseIsGranted;
    this.#found = new FoundUses(reader);
    this.#callees = new Callees(reader);
    this.#receivers = new Receivers(reader);
    this.#puts = new Puts(reader);
    this.#flow = new KindFlow(reader, this.#receivers, this.#callees, this.#puts);
  }

  /** Reads all files. A use of a parameter is a use of the values that callers hand in. */
  read(modules: readonly Module[], kinds: readonly KindModel[]): UsesModel {
    this.#flow.kinds.push(...kinds);
    for (const { file } of modules) {
      this.#here = file;
      this.#survey(file);
    }
    for (const { file } of modules) this.#walk(file);
    for (const call of this.#unknown) this.#readUnknown(call);
    for (const { owner, forwarded } of this.#queue) {
      for (const call of this.#callers.get(owner) ?? []) this.#readCaller(call, forwarded);
    }
    for (const module of modules) {
      this.#here = module.file;
      const ports = { reader: this.#reader, module, flow: this.#flow, callees: this.#callees };
      findEscapes(ports, module.file, (token, node) => {
        this.#found.escape(token, node);
      });
    }
    return {
      ...this.#found.result(),
      dynamic: this.#dynamic,
      elects: this.#elects,
      records: modules.some(({ file }) => RECORDS.test(file.text)),
      unknownStatus: this.#unknownStatus,
    };
  }

  /** The call or file that is being read. */
  get whereabouts(): Whereabouts {
    const here = this.#here;
    if (!here) return { at: { file: "", line: 1, column: 1 }, what: "the project" };
    const what = ts.isSourceFile(here) ? "this file" : "this call";
    return { at: this.#reader.modules.at(this.#moduleOf(here), here), what };
  }

  /** Collects classes, and values that are put into lists, before calls are read. */
  #survey(node: ts.Node): void {
    if (ts.isClassLike(node)) this.#callees.addClass(node);
    if (ts.isCallExpression(node)) this.#puts.note(node);
    ts.forEachChild(node, (child) => {
      this.#survey(child);
    });
  }

  #walk(node: ts.Node): void {
    if (ts.isDecorator(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#readCall(node);
    ts.forEachChild(node, (child) => {
      this.#walk(child);
    });
  }

  #readCall(call: Call): void {
    this.#here = call;
    if (ts.isCallExpression(call)) {
      this.#readOwner(call);
      if (this.#readRights(call)) return;
    }
    const functions = this.#callees.of(call);
    for (const owner of functions) this.#addCaller(owner, call);
    if (functions.length === 0) this.#unknown.push(call);
  }

  #addCaller(owner: ts.Node, call: Call): void {
    this.#callers.set(owner, [...(this.#callers.get(owner) ?? []), call]);
  }

  /** A call of a function that a caller hands in, or of one that cannot be read. */
  #readUnknown(call: Call): void {
    this.#here = call;
    const callee = plain(call.expression);
    const binding = ts.isIdentifier(callee) ? findBinding(callee) : undefined;
    if (binding && ts.isParameter(binding.node) && binding.path.length === 0) {
      const { parent: owner } = binding.node;
      const index = owner.parameters.indexOf(binding.node);
      const functions = (this.#callers.get(owner) ?? []).flatMap((caller) => {
        const given = caller.arguments?.[index];
        return given ? this.#callees.behind(given) : [];
      });
      for (const one of functions) this.#addCaller(one, call);
      if (functions.length > 0) return;
    }
    if (ts.isCallExpression(call) && this.#puts.has(call)) return;
    for (const argument of call.arguments ?? []) this.#handToUnknown(argument);
  }

  /** Reads a call that sets an owner, whose deletion the child blocks. */
  #readOwner(call: ts.CallExpression): void {
    const callee = plain(call.expression);
    const name = lastName(callee);
    let owner = name === "apply" ? ownerIn(call.arguments[2]) : undefined;
    if (name === "setControllerReference") owner = ownerIn(call.arguments[1]);
    if (name === "dependents" && ts.isPropertyAccessExpression(callee)) {
      owner = builtFor(callee.expression);
    }
    if (!owner) return;
    const { tokens, parameters } = this.#flow.of(owner);
    const deed = {
      suffix: "/finalizers",
      verbs: FINALIZER_VERBS,
      unlessGranted: "warning",
    } as const;
    for (const token of tokens) this.#found.use(call, token, deed, name);
    for (const part of parameters) this.#forward(part, deed);
  }

  /** Reads a call of `tsop`; false when it is not one. */
  #readRights(call: ts.CallExpression): boolean {
    const callee = plain(call.expression);
    if (ts.isIdentifier(callee) && !findBinding(callee)) {
      const found = this.#reader.modules.resolve(this.#moduleOf(call), callee.text);
      if (found?.is !== "tsop") return false;
      const rights = functionRights(found.name);
      if (rights) this.#take(call, { ...rights, isOurs: true }, found.name, "");
      if (found.name === "createManager") this.#coordinate(call);
      return true;
    }
    const method = methodOf(callee);
    if (!method) return false;
    const receiver = this.#receiverOf(method);
    const { name } = method;
    if (receiver === undefined && this.#callees.of(call).length > 0) return false;
    if (name === "dynamic" && receiver?.is !== "other" && !this.#flow.dynamicToken(call)) {
      this.#dynamic = true;
    }
    if (name === "event" && this.#event(call, receiver)) return true;
    // A loop that a controller slows down is told in an event.
    if (name === "complete" && receiver?.is === "builder") {
      const deed = { suffix: "", verbs: EVENT_VERBS, unlessGranted: "nothing" } as const;
      this.#found.use(call, EVENTS, deed, "complete");
      this.#cleanup(call, method.on);
    }
    // A kind that is watched in another cluster needs a right there.
    if (receiver?.is === "builder" && namesOption(call, "cluster")) return true;
    const ofPods = podRights(receiver, name);
    if (ofPods) {
      this.#found.use(call, PODS, ofPods, `pods.${name}`);
      return true;
    }
    const rights = methodRights(receiver, name);
    if (!rights || call.arguments.length < rights.least) return false;
    const shown = `${lastName(method.on)}.${name}`;
    const suffix = suffixOf(receiver);
    if (suffix === undefined) {
      this.#found.doubt(call, { suffix: "/*", verbs: rights.verbs }, shown);
      return true;
    }
    const isOurs = receiver !== undefined;
    return this.#take(call, { ...rights, isOurs }, shown, suffix) || isOurs;
  }

  #receiverOf({ on, path }: Method): Receiver | undefined {
    const known = this.#receivers.of(on, path);
    if (known) return known;
    const step = path.at(-1) ?? (ts.isPropertyAccessExpression(on) ? on.name.text : "");
    if (step === "status") return { is: "status" };
    return step === "live" ? { is: "client", live: true } : undefined;
  }

  /** Notes the rights that a call needs; false when its kind is not known. */
  #take(
    call: ts.CallExpression,
    rights: CallRights & { readonly isOurs: boolean },
    shown: string,
    suffix: string,
  ): boolean {
    const argument = call.arguments[rights.kind];
    if (!argument || call.arguments.length < rights.least) return false;
    const { tokens, parameters } = this.#flow.of(argument, rights.path);
    const { watches, isOurs } = rights;
    const { verbs, watched } = ownerIn(call.arguments[2]) ? ownerRights(rights) : rights;
    const deed: Deed = {
      suffix,
      verbs,
      isOurs,
      ...(watched ? { watched } : {}),
      ...(watches ? { watches } : {}),
    };
    for (const found of tokens) this.#found.use(call, found, deed, shown, argument);
    for (const part of parameters) this.#forward(part, deed);
    if (rights.statusIn !== undefined && mayChangeStatus(call.arguments[rights.statusIn])) {
      const patches = { suffix: "/status", verbs: ["patch"] };
      for (const found of tokens) this.#found.use(call, found, patches, shown, argument);
      for (const part of parameters) this.#forward(part, patches);
    }
    // A change that is made by a function is made of the object as it is now.
    if (suffix === "/status" && isFunction(call.arguments[1])) {
      const reads = { suffix: "", verbs: ["get"], unlessGranted: "warning" } as const;
      for (const found of tokens) this.#found.use(call, found, reads, shown, argument);
      for (const part of parameters) this.#forward(part, reads);
    }
    if (tokens.length > 0 || parameters.length > 0) return true;
    if (suffix === "/status") this.#unknownStatus = true;
    if (isOurs && !isEmptyList(argument, rights.path)) this.#found.doubt(call, deed, shown);
    return false;
  }

  /** The finalizer of a reconciler with a cleanup, at the kind that its controller is for. */
  #cleanup(call: ts.CallExpression, builder: ts.Expression): void {
    const [reconciler] = call.arguments;
    if (!reconciler || this.#callees.methodOf(reconciler, "cleanup").length === 0) return;
    const kind = builtFor(builder);
    if (!kind) return;
    const { tokens, parameters } = this.#flow.of(kind);
    const deed = { suffix: "", verbs: FINALIZER_PATCH_VERBS, isOurs: true };
    for (const token of tokens) this.#found.use(call, token, deed, "cleanup", kind);
    for (const part of parameters) this.#forward(part, deed);
  }

  #event(call: ts.CallExpression, receiver: Receiver | undefined): boolean {
    const [, details] = call.arguments;
    if (!details || call.arguments.length !== 2) return false;
    if (receiver?.is !== "recorder") {
      if (receiver || !ts.isObjectLiteralExpression(details)) return false;
      const names = details.properties.map((property) => property.name?.getText());
      if (!names.includes("reason") || !names.includes("message")) return false;
    }
    this.#found.use(call, EVENTS, { suffix: "", verbs: EVENT_VERBS }, "event");
    return true;
  }

  /** The leases of a leader and of shards. */
  #coordinate(call: ts.CallExpression): void {
    const shares = namesOption(call, "sharding");
    const elects = namesOption(call, "leaderElection");
    if (!shares && !elects) return;
    this.#elects = true;
    const verbs = [
      ...(this.#leaseIsGranted ? [] : LEASE_VERBS),
      ...(shares ? SHARD_LEASE_VERBS : []),
    ];
    this.#found.use(call, LEASES, { suffix: "", verbs }, "createManager");
  }

  #forward({ owner, index, path, rest, partial = false }: ParameterPart, deed: Deed): void {
    const forwarded = { ...deed, index, path, rest, partial };
    const { suffix, verbs, watches, escapes } = deed;
    const key = [index, path.map(String), suffix, verbs, watches, escapes, partial].join(" ");
    const known = this.#forwarded.get(owner) ?? new Map<string, Forwarded>();
    this.#forwarded.set(owner, known);
    if (known.has(key)) return;
    known.set(key, forwarded);
    this.#queue.push({ owner, forwarded });
  }

  /** A call of a function that does something with a parameter. */
  #readCaller(call: Call, { index, path, rest, partial, ...deed }: Forwarded): void {
    const given = call.arguments?.slice(index, rest ? undefined : index + 1) ?? [];
    const shown = lastName(call.expression);
    for (const argument of given) {
      const isSpread = ts.isSpreadElement(argument);
      const value = isSpread ? argument.expression : argument;
      const steps: Path = isSpread ? [EACH, ...path] : path;
      const { tokens, parameters } = deed.escapes
        ? this.#flow.handedOn(value, steps)
        : this.#flow.of(value, steps);
      for (const found of tokens) {
        this.#found.use(call, partial ? { ...found, partial } : found, deed, shown, argument);
      }
      for (const part of parameters) this.#forward(partial ? { ...part, partial } : part, deed);
      const isKnown = tokens.length > 0 || parameters.length > 0;
      if (!isKnown && deed.isOurs && !isNothing(argument)) this.#found.doubt(call, deed, shown);
    }
  }

  /** Notes the kinds that are handed to code that cannot be read. */
  #handToUnknown(argument: ts.Expression): void {
    const node = plain(argument);
    if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isPropertyAssignment(property)) this.#handToUnknown(property.initializer);
        if (ts.isShorthandPropertyAssignment(property)) this.#handToUnknown(property.name);
      }
      return;
    }
    // A kind that is named directly is found where it is named.
    if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return;
    for (const path of [[], [EACH]] satisfies Path[]) {
      const { tokens, parameters } = this.#flow.handedOn(node, path);
      for (const token of tokens) {
        if (!tokenOf(this.#reader, this.#moduleOf(node), node) || isLocal(node)) {
          this.#found.escape(token, node);
        }
      }
      for (const part of parameters) this.#forward(part, { suffix: "", verbs: [], escapes: true });
    }
  }

  #moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }
}

const isFunction = (node: ts.Expression | undefined): boolean =>
  node !== undefined && ts.isFunctionLike(plain(node));

/** Whether nothing is handed in there. */
const isNothing = (node: ts.Expression): boolean =>
  /^(?:undefined|null|\[\]|\{\})$/.test(plain(node).getText());

const isEmptyList = (node: ts.Expression, path: Path | undefined): boolean =>
  path !== undefined && /\bkinds:\s*\[\s*\]/.test(node.getText());
