/**
 * What both ends of a project show together: a kind that is applied for an owner and not watched, an index that nobody
 * declares, a controller that is not completed, a status of a kind that has none.
 */
import type { Findings } from "../findings.ts";
import { ts } from "../load.ts";
import type { KindModel } from "../model.ts";
import type { TokenModel } from "../read/marks/token.ts";
import type { CallRights } from "./calls.ts";
import type { FoundUses } from "./found-uses.ts";
import type { Kinds } from "./kinds.ts";
import { type Call, isOuter, plain } from "./paths.ts";
import type { Survey } from "./survey.ts";
import { memberName, type Types } from "./types.ts";
import type { Values } from "./values.ts";

interface WiringPorts {
  readonly types: Types;
  readonly survey: Survey;
  readonly values: Values;
  readonly kinds: Kinds;
  readonly found: FoundUses;
}

/** A call that does something with kinds. */
interface NotedCall {
  readonly member: string;
  readonly call: Call;
  readonly given: readonly ts.Expression[];
  readonly tokens: readonly TokenModel[];
  readonly rights: CallRights;
  readonly hasOwner: boolean;
}

const nameOf = ({ group, plural }: TokenModel): string => `${plural}.${group}`;
const shownKind = ({ kind, plural }: TokenModel): string => kind ?? plural;

/** Compares them. */
export class Wiring {
  readonly #ports: WiringPorts;
  readonly #findings: Findings;
  readonly #known: readonly KindModel[];
  readonly #reconciled = new Set<string>();
  readonly #owned = new Set<string>();
  readonly #indexes = new Set<string>();
  readonly #applied: {
    readonly call: Call;
    readonly child: TokenModel;
    readonly owners: readonly TokenModel[];
  }[] = [];
  readonly #read: {
    readonly call: Call;
    readonly kind: TokenModel;
    readonly names: readonly string[];
  }[] = [];
  #anyIndex = false;

  constructor(ports: WiringPorts, findings: Findings, known: readonly KindModel[]) {
    this.#ports = ports;
    this.#findings = findings;
    this.#known = known;
  }

  /** The kinds that a builder is for; `undefined` where they are not known. */
  mainKind(builder: ts.Expression): readonly TokenModel[] | undefined {
    const { types, values, kinds } = this.#ports;
    const type = types.at(builder);
    const [argument] = types.argumentsOf(type);
    const typed = argument && kinds.ofType(argument);
    if (typed) return typed;
    const { found, lost } = values.of(builder, [], (node, path) => {
      const at = plain(node);
      if (path.length > 0 || !ts.isCallExpression(at)) return undefined;
      const [called] = types.signaturesOf(at).filter((one) => types.isOfTsop(one));
      const name = called ? memberName(called) : "";
      const [first] = at.arguments;
      if (name === "ControllerBuilder.for" && first) {
        const { found: tokens, lost: unknown } = kinds.of(first);
        return unknown.length > 0 ? undefined : tokens.map(({ value }) => value);
      }
      const callee = plain(at.expression);
      const isChain =
        name.startsWith("ControllerBuilder.") && ts.isPropertyAccessExpression(callee);
      return isChain ? this.mainKind(callee.expression) : undefined;
    });
    return lost.length > 0 || found.length === 0 ? undefined : found.map(({ value }) => value);
  }

  noteCall({ member, call, given, tokens, rights, hasOwner }: NotedCall): void {
    const { values, kinds } = this.#ports;
    if (member === "ControllerBuilder.for")
      for (const kind of tokens) this.#reconciled.add(nameOf(kind));
    else if (rights.watches) for (const kind of tokens) this.#owned.add(nameOf(kind));
    if (hasOwner && rights.owner !== undefined) {
      const options = given[rights.owner];
      const owners = options ? kinds.of(options, ["owner"]).found.map(({ value }) => value) : [];
      for (const child of tokens) this.#applied.push({ call, child, owners });
    }
    this.#noteIndexes(member, given, tokens);
    const options = rights.index === undefined ? undefined : given[rights.index];
    if (options && values.has(options, ["index"])) {
      const names = values.texts(options, ["index", "name"]);
      if (names) for (const kind of tokens) this.#read.push({ call, kind, names });
    }
    if (rights.suffix === "/status") for (const kind of tokens) this.#checkStatus(call, kind);
  }

  finish(): void {
    for (const { call, child, owners } of this.#applied) {
      const owner = owners.find((one) => this.#reconciled.has(nameOf(one)));
      if (!owner || this.#owned.has(nameOf(child))) continue;
      this.#findings.warn(
        this.#ports.found.at(call),
        "owned-not-watched",
        `${shownKind(child)} objects are created for ${shownKind(owner)} objects, but no controller watches them, so changes of theirs are not reconciled.`,
        `Add .owns(${shownKind(child)}) to the controller of ${shownKind(owner)}.`,
      );
    }
    for (const { call, kind, names } of this.#anyIndex ? [] : this.#read) {
      const missing = names.find(
        (name) => !this.#indexes.has(`${nameOf(kind)} ${name}`) && !name.startsWith("tsop.dev/"),
      );
      if (missing === undefined) continue;
      this.#findings.warn(
        this.#ports.found.at(call),
        "index-missing",
        `Nothing declares the index "${missing}" of ${shownKind(kind)}, so this list fails.`,
        `Declare it where the kind is watched: { indexes: { ${JSON.stringify(missing)}: (object) => [...] } }, or with manager.cache.addIndex.`,
      );
    }
    for (const call of this.#ports.survey.calls) this.#checkComplete(call);
  }

  #noteIndexes(
    member: string,
    given: readonly ts.Expression[],
    tokens: readonly TokenModel[],
  ): void {
    const { types, values } = this.#ports;
    const note = (names: readonly string[] | undefined): void => {
      if (!names) this.#anyIndex = true;
      for (const name of names ?? [])
        for (const kind of tokens) this.#indexes.add(`${nameOf(kind)} ${name}`);
    };
    const [, second] = given;
    if (!second) return;
    if (member === "Cache.addIndex") note(values.texts(second, []));
    else if (values.has(second, ["indexes"])) {
      const all = types.along(second, ["indexes"]);
      const isOpen = all.some((type) => types.checker.getIndexInfosOfType(type).length > 0);
      note(
        all.length === 0 || isOpen
          ? undefined
          : all.flatMap((type) => type.getProperties().map(({ name }) => name)),
      );
    }
  }

  #checkStatus(call: Call, kind: TokenModel): void {
    const known = this.#known.filter(
      (one) => one.group === kind.group && one.plural === kind.plural,
    );
    if (known.length === 0 || known.some(({ statusSubresource }) => statusSubresource)) return;
    this.#findings.error(
      this.#ports.found.at(call),
      "no-status-subresource",
      `${shownKind(kind)} has no status subresource, so the API server answers this call with 404.`,
      "Remove `statusSubresource: false` from @Resource, or write the status with client.patch.",
    );
  }

  /** A builder that is begun and not completed: the manager refuses to start. */
  #checkComplete(call: Call): void {
    const { types, found } = this.#ports;
    const begins = types
      .signaturesOf(call)
      .some((one) => types.isOfTsop(one) && memberName(one) === "controllerFor");
    if (!begins) return;
    const end = endOfChain(call);
    const isLeft = ts.isExpressionStatement(end.parent) && !isCompletion(end);
    const variable =
      ts.isVariableDeclaration(end.parent) && ts.isIdentifier(end.parent.name)
        ? end.parent
        : undefined;
    if (!isLeft && !(variable && !isCompletion(end) && this.#isForgotten(variable))) return;
    this.#findings.warn(
      found.at(call),
      "controller-incomplete",
      "This controller is never completed, so the manager refuses to start.",
      "Call .complete(reconciler) at the end.",
    );
  }

  /** Whether nothing but the builder's own methods is done with a variable, none of which completes it. */
  #isForgotten(variable: ts.VariableDeclaration): boolean {
    const { types } = this.#ports;
    let isForgotten = true;
    const visit = (node: ts.Node): void => {
      if (
        ts.isIdentifier(node) &&
        node !== variable.name &&
        types.declarationsAt(node).includes(variable)
      ) {
        const { parent } = node;
        const end =
          ts.isPropertyAccessExpression(parent) && parent.expression === node
            ? endOfChain(parent)
            : node;
        if (end === node || isCompletion(end) || !ts.isCallExpression(end)) isForgotten = false;
        else if (returnsBuilder(types, end) && !ts.isExpressionStatement(end.parent))
          isForgotten = false;
      }
      ts.forEachChild(node, visit);
    };
    visit(variable.getSourceFile());
    return isForgotten;
  }
}

const returnsBuilder = (types: Types, node: ts.Expression): boolean =>
  types.at(node).getSymbol()?.name === "ControllerBuilder";

/** The whole chain of calls that an expression begins. */
function endOfChain(node: ts.Expression): ts.Expression {
  let at = node;
  while (isOuter(at)) at = at.parent as ts.Expression;
  return at;
}

const isCompletion = (node: ts.Expression): boolean =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === "complete";
