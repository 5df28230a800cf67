/**
 * The code's uses of the API, as rights that they need: every call whose callee is declared in `tsop`, wherever the
 * client comes from. A call whose kind, verb or owner is not known is noted as unclear.
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
import type { TokenModel } from "../read/marks/token.ts";
import { CALLS, type CallRights, POD_CALLS } from "./calls.ts";
import { Content } from "./content.ts";
import { Escapes } from "./escapes.ts";
import { type Deed, FoundUses } from "./found-uses.ts";
import { Kinds } from "./kinds.ts";
import { type Call, lastName, type Origins, type Path, plain } from "./paths.ts";
import { Receivers } from "./receivers.ts";
import { Survey } from "./survey.ts";
import { memberName, Types } from "./types.ts";
import { Values } from "./values.ts";
import { Wiring } from "./wiring.ts";

const PODS: TokenModel = { group: "", plural: "pods" };
const EVENTS: TokenModel = { group: "", plural: "events" };
const LEASES: TokenModel = { group: "coordination.k8s.io", plural: "leases" };
const REVIEWS: readonly TokenModel[] = [
  { group: "authentication.k8s.io", plural: "tokenreviews" },
  { group: "authorization.k8s.io", plural: "subjectaccessreviews" },
];

/** The rights that roles of the project grant which are not generated. */
export interface GrantedElsewhere {
  /** The operator may hold its lease. */
  readonly lease: boolean;
  /** The operator may ask whether a client of its metrics may read them. */
  readonly reviews: boolean;
}

/** The place that was being read, for the message when it is too much. */
export interface Whereabouts {
  readonly at: Position;
  readonly what: string;
}

/** Reads the calls of a project's files. */
export class UsesReader {
  readonly #reader: Reader;
  readonly #granted: GrantedElsewhere;
  #here: ts.Node | undefined;

  constructor(reader: Reader, granted: GrantedElsewhere) {
    this.#reader = reader;
    this.#granted = granted;
  }

  /** Reads all files. */
  read(modules: readonly Module[], kinds: readonly KindModel[]): UsesModel {
    const types = new Types(this.#reader, modules);
    const survey = new Survey(types);
    for (const { file } of modules) {
      this.#here = file;
      survey.read(file);
    }
    const calls = new CallReader(this.#reader, types, survey, { kinds, granted: this.#granted });
    for (const call of survey.calls) {
      this.#here = call;
      calls.read(call);
    }
    for (const { file } of modules) {
      this.#here = file;
      calls.escapes.read(file);
    }
    return calls.result();
  }

  /** The call or file that is being read. */
  get whereabouts(): Whereabouts {
    const here = this.#here;
    if (!here) return { at: { file: "", line: 1, column: 1 }, what: "the project" };
    const what = ts.isSourceFile(here) ? "this file" : "this call";
    const { modules } = this.#reader;
    return { at: modules.at(modules.get(here.getSourceFile().fileName), here), what };
  }
}

class CallReader {
  readonly escapes: Escapes;
  readonly #types: Types;
  readonly #values: Values;
  readonly #kinds: Kinds;
  readonly #found: FoundUses;
  readonly #content: Content;
  readonly #receivers: Receivers;
  readonly #wiring: Wiring;
  readonly #granted: GrantedElsewhere;
  #dynamic = false;
  #elects = false;
  #records = false;
  #unknownStatus = false;

  constructor(
    reader: Reader,
    types: Types,
    survey: Survey,
    {
      kinds,
      granted,
    }: { readonly kinds: readonly KindModel[]; readonly granted: GrantedElsewhere },
  ) {
    this.#granted = granted;
    this.#types = types;
    this.#values = new Values(types, survey);
    this.#kinds = new Kinds(reader, types, this.#values, kinds);
    this.#found = new FoundUses(reader);
    const ports = { types, survey, values: this.#values, kinds: this.#kinds, found: this.#found };
    this.#content = new Content(ports);
    this.#receivers = new Receivers(ports);
    this.#wiring = new Wiring(ports, reader.findings, kinds);
    this.escapes = new Escapes(ports);
  }

  result(): UsesModel {
    this.#content.finish();
    this.#wiring.finish();
    return {
      ...this.#found.result(),
      dynamic: this.#dynamic,
      elects: this.#elects,
      records: this.#records,
      unknownStatus: this.#unknownStatus,
    };
  }

  read(call: Call): void {
    const members = this.#types.signaturesOf(call).filter((one) => this.#types.isOfTsop(one));
    for (const member of new Set(members.map(memberName))) {
      this.#readMember(member, call, call.arguments ?? []);
    }
    const callee = plain(call.expression);
    if (members.length > 0 || !ts.isPropertyAccessExpression(callee)) return;
    // f.call(self, ...) calls f; f.bind(self, ...) does when it has some of the arguments already.
    const isBound = callee.name.text === "bind" && (call.arguments?.length ?? 0) > 1;
    if (callee.name.text !== "call" && !isBound) return;
    const meant = this.#types.signaturesAt(callee.expression);
    for (const member of meant.filter((one) => this.#types.isOfTsop(one))) {
      this.#readMember(memberName(member), call, call.arguments?.slice(1) ?? []);
    }
  }

  #readMember(member: string, call: Call, given: readonly ts.Expression[]): void {
    const callee = plain(call.expression);
    const isAccess = ts.isPropertyAccessExpression(callee) || ts.isElementAccessExpression(callee);
    const on = isAccess ? callee.expression : undefined;
    const name = member.replace(/^.*\./, "");
    const shown = on ? `${lastName(on)}.${name}` : lastName(callee);
    const [first] = given;
    switch (member) {
      case "createManager":
        this.#coordinate(call, first);
        return;
      case "createClient":
        this.#content.impersonation(call, first);
        return;
      case "Client.raw":
        this.#content.raw(call, first);
        return;
      case "Client.dynamic":
        if (!ts.isCallExpression(call) || !this.#kinds.dynamicToken(call)) this.#dynamic = true;
        return;
      // Its events need no further look, wherever it goes.
      case "Manager.recorder":
      case "EventRecorder.event":
        this.#records = true;
        this.#found.use(call, EVENTS, { suffix: "", verbs: EVENT_VERBS }, name);
        return;
      case "ControllerBuilder.complete":
        this.#complete(call, on, first);
        return;
      case "ControllerBuilder.dependents":
        this.#ownerOfDependents(call, on);
        break;
      case "setControllerReference":
        this.#owner(call, given[1], "setControllerReference");
        return;
      default:
    }
    const ofPods = POD_CALLS.get(member);
    if (ofPods && !this.#receivers.isElsewhere(on)) {
      this.#found.use(call, PODS, ofPods, `pods.${name}`);
    }
    const rights = CALLS.get(member);
    if (rights) this.#take(call, given, { ...rights, shown, on, member });
  }

  /** Notes the rights that a call needs. */
  #take(
    call: Call,
    given: readonly ts.Expression[],
    rights: CallRights & {
      readonly shown: string;
      readonly on: ts.Expression | undefined;
      readonly member: string;
    },
  ): void {
    const { kind, path, shown, on, watches, member } = rights;
    const argument = given[kind];
    // A kind that is watched in another cluster needs a right there.
    if (!argument || this.#receivers.isElsewhere(on)) return;
    if (watches && this.#values.has(given[1], ["cluster"])) return;
    const suffixes =
      rights.suffix === "/*" ? this.#receivers.subresourcesOf(on) : [rights.suffix ?? ""];
    const hasOwner = rights.owner !== undefined && this.#values.has(given[rights.owner], ["owner"]);
    const { verbs, watched } = ownedRights(rights, hasOwner);
    const isLive = watched !== undefined && this.#receivers.isLive(on);
    const origins = this.#kindsOf(argument, path);
    const tokens = origins.found.map(({ value }) => value);
    const apply = (deed: Deed): void => {
      if (deed.suffix === "/*") {
        this.#found.doubt(call, deed, `${shown}()`, "its subresource is not known");
        return;
      }
      for (const origin of origins.found) this.#found.use(call, origin.value, deed, shown, origin);
      for (const lost of origins.lost) this.#found.doubt(lost.via ?? call, deed, `${shown}()`);
    };
    for (const suffix of suffixes) {
      apply({
        suffix,
        verbs,
        ...(watched && !isLive ? { watched } : {}),
        ...(watches ? { watches } : {}),
      });
      if (suffix === "/status" && origins.lost.length > 0) this.#unknownStatus = true;
      this.#content.signers(call, tokens, suffix);
    }
    const body = rights.body === undefined ? undefined : given[rights.body];
    if (rights.statusIn !== undefined && mayChangeStatus(body)) {
      apply({ suffix: "/status", verbs: ["patch"] });
    }
    // A change that is made by a function is made of the object as it is now.
    const change = rights.changesIn === undefined ? undefined : given[rights.changesIn];
    if (change && this.#types.signaturesAt(change).length > 0) {
      apply({ suffix: "", verbs: ["get"], unlessGranted: "warning" });
    }
    if (body) this.#content.roles(call, tokens, body);
    if (hasOwner) this.#owner(call, given[rights.owner ?? 0], lastName(call.expression));
    this.#wiring.noteCall({ member, call, given, tokens, rights, hasOwner });
  }

  /** The kinds of an argument. One that has none is lost: only a list of kinds may be empty. */
  #kindsOf(argument: ts.Expression, path: Path = []): Origins<TokenModel> {
    const { found, lost } = this.#kinds.of(argument, path);
    const isNowhere = found.length + lost.length === 0 && path.length === 0;
    return isNowhere ? { found, lost: [{ node: argument, via: undefined }] } : { found, lost };
  }

  /** The owner whose deletion a child blocks. */
  #owner(call: Call, options: ts.Expression | undefined, shown: string): void {
    if (!options) return;
    const deed = {
      suffix: "/finalizers",
      verbs: FINALIZER_VERBS,
      unlessGranted: "warning",
    } as const;
    const { found, lost } = this.#kinds.of(options, ["owner"]);
    for (const { value, via } of found) this.#found.use(via ?? call, value, deed, shown);
    for (const { via } of lost) this.#found.doubt(via ?? call, deed, `the owner in ${shown}()`);
  }

  #ownerOfDependents(call: Call, builder: ts.Expression | undefined): void {
    const deed = {
      suffix: "/finalizers",
      verbs: FINALIZER_VERBS,
      unlessGranted: "warning",
    } as const;
    const main = builder && this.#wiring.mainKind(builder);
    for (const kind of main ?? []) this.#found.use(call, kind, deed, "dependents");
    if (!main) this.#found.doubt(call, deed, "the owner of dependents()");
  }

  /** A controller that is complete: it tells of loops in events, and its cleanup needs a finalizer. */
  #complete(
    call: Call,
    builder: ts.Expression | undefined,
    reconciler: ts.Expression | undefined,
  ): void {
    const events = { suffix: "", verbs: EVENT_VERBS, unlessGranted: "nothing" } as const;
    this.#found.use(call, EVENTS, events, "complete");
    if (!builder || !reconciler) return;
    const { found, lost } = this.#values.of(reconciler, [], (node, path) => {
      if (path.length > 0) return undefined;
      const answer = this.#hasCleanup(node);
      return answer === undefined ? undefined : [answer];
    });
    const deed = { suffix: "", verbs: FINALIZER_PATCH_VERBS };
    const main = this.#wiring.mainKind(builder);
    if (found.some(({ value }) => value)) {
      for (const kind of main ?? []) this.#found.use(call, kind, deed, "cleanup");
      if (!main) this.#found.doubt(call, deed, "the object of cleanup()");
    } else if (lost.length > 0) {
      this.#found.doubt(
        call,
        deed,
        "complete()",
        "it is not known whether the reconciler has a cleanup",
      );
    }
  }

  /** Whether a reconciler has a cleanup; `undefined` where its type leaves it open. */
  #hasCleanup(node: ts.Expression): boolean | undefined {
    const at = plain(node);
    if (at !== node) return undefined;
    const type = this.#types.at(at);
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Never)) return undefined;
    const property = this.#types.checker.getPropertyOfType(type, "cleanup");
    if (ts.isObjectLiteralExpression(at)) {
      const spreads = at.properties.some(ts.isSpreadAssignment);
      const own = at.properties.some(({ name }) => name?.getText() === "cleanup");
      return own || (spreads ? undefined : false);
    }
    if (!property) return false;
    return property.flags & ts.SymbolFlags.Optional ? undefined : true;
  }

  /** The leases of a leader and of shards, and the reviews of those who read metrics. */
  #coordinate(call: Call, options: ts.Expression | undefined): void {
    const shares = this.#values.has(options, ["sharding"]);
    const elects = this.#values.has(options, ["leaderElection"]);
    this.#elects ||= shares || elects;
    if (shares || elects) {
      const verbs = [
        ...(this.#granted.lease ? [] : LEASE_VERBS),
        ...(shares ? SHARD_LEASE_VERBS : []),
      ];
      this.#found.use(call, LEASES, { suffix: "", verbs }, "createManager");
    }
    const isReviewed = [
      ["metrics", "reviewed"],
      ["debug", "reviewed"],
    ].some((path) => this.#values.hasOwn(options, path));
    if (!isReviewed || this.#granted.reviews) return;
    const deed = { suffix: "", verbs: ["create"], unlessGranted: "warning" } as const;
    for (const kind of REVIEWS) this.#found.use(call, kind, deed, "createManager");
  }
}

/** The verbs of a call, with those that an owner needs. */
function ownedRights(
  { verbs, watched, forOwner }: CallRights,
  hasOwner: boolean,
): Pick<CallRights, "verbs" | "watched"> {
  return hasOwner && forOwner
    ? { verbs: [...forOwner, ...verbs], watched: verbs }
    : { verbs, ...(watched ? { watched } : {}) };
}

/** Whether a function may change the status of what it is given: its code says the word, or it is not seen here. */
function mayChangeStatus(node: ts.Expression | undefined): boolean {
  if (!node) return false;
  const at = plain(node);
  if (!ts.isArrowFunction(at) && !ts.isFunctionExpression(at)) return true;
  return /\bstatus\b/.test(at.getText());
}
