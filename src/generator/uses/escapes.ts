/** Clients and kinds that go where their calls cannot be seen: to code outside the project, or to `any`. */
import { ts } from "../load.ts";
import { API_TYPES } from "./calls.ts";
import type { FoundUses } from "./found-uses.ts";
import type { Kinds } from "./kinds.ts";
import { type Call, EACH, lastName, type Path, plain } from "./paths.ts";
import { isCallee, isValue } from "./survey.ts";
import type { Types } from "./types.ts";

interface EscapePorts {
  readonly types: Types;
  readonly kinds: Kinds;
  readonly found: FoundUses;
}

/** How deep the parts of an object are searched for a client. */
const MAX_DEPTH = 2;

/** Finds them. */
export class Escapes {
  readonly #types: Types;
  readonly #kinds: Kinds;
  readonly #found: FoundUses;

  constructor({ types, kinds, found }: EscapePorts) {
    this.#types = types;
    this.#kinds = kinds;
    this.#found = found;
  }

  read(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isDecorator(node) || ts.isImportDeclaration(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#readCall(node);
    if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) this.#readMention(node);
    if (ts.isElementAccessExpression(node)) this.#readComputed(node);
    if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) this.#readCast(node);
    ts.forEachChild(node, (child) => {
      this.read(child);
    });
  }

  /** What is handed to code outside the project, or to what is not known at all. */
  #readCall(call: Call): void {
    const signatures = this.#types.signaturesOf(call);
    const isKnown = signatures.length > 0;
    const isInside = (one: ts.Node): boolean =>
      this.#types.isOfProject(one) || this.#types.isOfTsop(one);
    if (isKnown && signatures.every(isInside)) return;
    const isLibrary =
      isKnown && signatures.every((one) => isInside(one) || this.#types.isOfLibrary(one));
    for (const argument of call.arguments ?? []) this.#handOut(argument, isLibrary);
  }

  #handOut(argument: ts.Expression, isLibrary: boolean): void {
    const node = plain(ts.isSpreadElement(argument) ? argument.expression : argument);
    if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isPropertyAssignment(property)) this.#handOut(property.initializer, isLibrary);
        if (ts.isShorthandPropertyAssignment(property)) this.#handOut(property.name, isLibrary);
      }
      return;
    }
    if (ts.isArrayLiteralExpression(node)) {
      for (const item of node.elements) this.#handOut(item, isLibrary);
      return;
    }
    if (ts.isFunctionLike(node)) return;
    const type = this.#types.at(argument);
    const api = this.#apiIn(type, MAX_DEPTH);
    if (api !== undefined) {
      if (!isLibrary) this.#tell(argument, api);
      return;
    }
    const items = this.#types.along(node, [EACH]);
    const path: Path | undefined = this.#isToken(type)
      ? []
      : items.some((one) => this.#isToken(one))
        ? [EACH]
        : undefined;
    if (!path) return;
    for (const { value, node: origin, via } of this.#kinds.of(node, path).found) {
      if (isLibrary) this.#found.mention(value);
      else this.#found.escape(value, via ? origin : argument);
    }
  }

  /** A client or one of its methods that becomes something whose calls cannot be told. */
  #readMention(node: ts.Identifier | ts.PropertyAccessExpression): void {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && (parent.name === node || isCallee(parent))) return;
    if (ts.isIdentifier(node) && !isValue(node)) return;
    if (isCallee(node) || ts.isTypeNode(parent) || ts.isExpressionStatement(parent)) return;
    const type = this.#types.checker.getTypeAtLocation(node);
    const api = apiName(type, this.#types);
    const isMethod = api === undefined && this.#isMethod(type);
    if (api === undefined && !isMethod) return;
    const expected = this.#types.expected(node);
    if (!expected) return;
    if (isMethod) {
      const signatures = this.#types.expectedSignatures(node);
      const isKept =
        signatures !== "unknown" && signatures.every((one) => this.#types.isOfTsop(one));
      if (!isKept) this.#tell(node, lastName(node));
    } else if (api !== undefined && this.#loses(expected)) {
      this.#tell(node, api);
    }
  }

  /** A method that is chosen when the program runs. */
  #readComputed(node: ts.ElementAccessExpression): void {
    if (!isCallee(node) || apiName(this.#types.at(node.expression), this.#types) === undefined)
      return;
    if (this.#types.signaturesAt(node).length > 0) return;
    this.#tell(node, lastName(node.expression));
  }

  #readCast(node: ts.AsExpression | ts.TypeAssertion): void {
    const inner =
      ts.isAsExpression(node.expression) || ts.isTypeAssertionExpression(node.expression);
    const outer = ts.isAsExpression(node.parent) || ts.isTypeAssertionExpression(node.parent);
    if (outer) return;
    const from = inner ? plain(node.expression) : node.expression;
    const api = this.#apiIn(this.#types.checker.getTypeAtLocation(from), 1);
    if (api === undefined) return;
    const to = this.#types.checker.getTypeAtLocation(node);
    if (this.#apiIn(to, 1) === undefined && this.#loses(to)) this.#tell(node, api);
  }

  /** Whether a client's calls cannot be told any more where it has that type. */
  #loses(type: ts.Type): boolean {
    if (type.flags & ts.TypeFlags.Any) return true;
    if (type.isUnion()) return type.types.some((one) => this.#loses(one));
    if (!(type.flags & ts.TypeFlags.Object) || apiName(type, this.#types) !== undefined)
      return false;
    return type.getProperties().some((property) => {
      const [at] = property.declarations ?? [];
      const of = at && this.#types.checker.getTypeOfSymbolAtLocation(property, at);
      const signatures = of?.getCallSignatures() ?? [];
      return signatures.some(
        ({ declaration }) => declaration && this.#types.isOfProject(declaration),
      );
    });
  }

  #isMethod(type: ts.Type): boolean {
    return type.getCallSignatures().some(({ declaration }) => {
      const owner = declaration?.parent;
      const isMember = owner && (ts.isInterfaceDeclaration(owner) || ts.isClassLike(owner));
      return isMember && this.#types.isOfTsop(owner) && API_TYPES.has(owner.name?.text ?? "");
    });
  }

  #isToken(type: ts.Type): boolean {
    const isMarked = (one: ts.Type): boolean =>
      one
        .getProperties()
        .some(({ escapedName }) => String(escapedName).startsWith("__@objectType")) ||
      one
        .getConstructSignatures()
        .some((made) => this.#kinds.ofType(made.getReturnType()) !== undefined);
    return type.isUnion() ? type.types.some(isMarked) : isMarked(type);
  }

  /** The API type that a type is or holds. */
  #apiIn(type: ts.Type, depth: number): string | undefined {
    const own = apiName(type, this.#types);
    if (own !== undefined || depth === 0 || !(type.flags & ts.TypeFlags.Object)) return own;
    const declared = type.getSymbol()?.declarations ?? [];
    if (declared.length > 0 && !declared.some((one) => this.#types.isOfProject(one)))
      return undefined;
    for (const property of type.getProperties()) {
      const [at] = property.declarations ?? [];
      const of = at && this.#types.checker.getTypeOfSymbolAtLocation(property, at);
      const found = of && this.#apiIn(of, depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #tell(node: ts.Node, name: string): void {
    const because = "it goes where its calls cannot be followed";
    this.#found.doubt(node, { suffix: "", verbs: [] }, name, because);
  }
}

/** The name of a type through which the API is reached. */
function apiName(type: ts.Type, types: Types): string | undefined {
  const all = type.isUnionOrIntersection() ? type.types : [type];
  const names = all.flatMap((one) => {
    const symbol = one.getSymbol();
    const isOurs = symbol?.declarations?.some((node) => types.isOfTsop(node)) ?? false;
    return symbol && isOurs && API_TYPES.has(symbol.name) ? [symbol.name] : [];
  });
  return names[0];
}
