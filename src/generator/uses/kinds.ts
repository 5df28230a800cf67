/** The kinds that expressions stand for: tokens, and objects of a kind. */
import { apiVersionOf, parseApiVersion } from "../../kube/resource.ts";
import { ts } from "../load.ts";
import type { KindModel } from "../model.ts";
import { evaluate } from "../read/code/evaluate.ts";
import type { Reader } from "../read/code/reader.ts";
import { declaredToken, type TokenModel } from "../read/marks/token.ts";
import { type Origins, type Path, plain } from "./paths.ts";
import { memberName, type Types } from "./types.ts";
import type { Values } from "./values.ts";

/** Finds the kinds of expressions: by their types where these say it, otherwise by where they come from. */
export class Kinds {
  readonly #reader: Reader;
  readonly #types: Types;
  readonly #values: Values;
  readonly #known: readonly KindModel[];
  #relatives: ReadonlySet<string> | undefined;

  /** @param known - the kinds of the project, for those that are named at run time */
  constructor(reader: Reader, types: Types, values: Values, known: readonly KindModel[]) {
    this.#reader = reader;
    this.#types = types;
    this.#values = values;
    this.#known = known;
  }

  /** The kinds of an expression, or of a part of it. */
  of(expression: ts.Expression, path: Path = []): Origins<TokenModel> {
    return this.#values.of(expression, path, (node, steps) => this.#settle(node, steps));
  }

  /** The kinds that a type stands for; `undefined` where it does not say. */
  ofType(type: ts.Type): readonly TokenModel[] | undefined {
    const { checker } = this.#types;
    if (type.isUnion()) {
      const parts = type.types.filter((one) => !isNothing(one)).map((one) => this.ofType(one));
      return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
    }
    if (type.isIntersection()) {
      return type.types.map((one) => this.ofType(one)).find((found) => found !== undefined);
    }
    if (type.flags & ts.TypeFlags.TypeParameter) {
      const bound = checker.getBaseConstraintOfType(type);
      return bound && this.ofType(bound);
    }
    if (!(type.flags & ts.TypeFlags.Object)) return undefined;
    const token = this.#tokenType(type);
    if (token) return token;
    const [made] = checker.getSignaturesOfType(type, ts.SignatureKind.Construct);
    if (made) return this.ofType(made.getReturnType());
    const declared = this.#declaredKind(type);
    if (declared) return [declared];
    const [argument] = type.aliasTypeArguments ?? [];
    return argument && type.aliasTypeArguments?.length === 1 ? this.ofType(argument) : undefined;
  }

  /** The kind of `client.dynamic("apps/v1", "Deployment")`, where it is known before the program runs. */
  dynamicToken(call: ts.CallExpression): TokenModel | undefined {
    const module = this.#reader.modules.get(call.getSourceFile().fileName);
    const [apiVersion, kind, plural] = call.arguments.map((one) =>
      evaluate(this.#reader, module, one),
    );
    if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
    const { group, version } = parseApiVersion(apiVersion);
    if (typeof plural === "string") return { group, version, kind, plural };
    return [...this.#known, ...this.#reader.modules.builtInKinds()].find(
      (one) => one.group === group && one.kind === kind,
    );
  }

  #settle(node: ts.Expression, path: Path): readonly TokenModel[] | undefined {
    if (path.length === 0 && ts.isCallExpression(node)) {
      const called = this.#types.signaturesOf(node).find((one) => this.#types.isOfTsop(one));
      const name = called ? memberName(called) : "";
      if (name === "Client.dynamic") {
        const token = this.dynamicToken(node);
        if (token) return [token];
      }
      const [first] = node.arguments;
      // Its origin may be unclear, so that it is followed by the caller's question.
      if (name === "metadataOf" && first) {
        const { found, lost } = this.of(first);
        if (lost.length === 0) return found.map(({ value }) => ({ ...value, partial: true }));
      }
    }
    const types = this.#types.along(node, path);
    const kinds = types.map((type) => this.ofType(type));
    if (kinds.length > 0 && kinds.every((one) => one !== undefined)) {
      const isExact =
        this.#types.isSaid(node) || !kinds.flat().some((one) => this.#hasRelative(one));
      return isExact ? kinds.flat() : undefined;
    }
    return path.length === 0 ? this.#written(node) : undefined;
  }

  /**
   * Whether objects of another kind of the project are objects of this one to TypeScript, or the reverse: it then takes
   * one of them alone for the type of `isLarge ? Large : Small`.
   */
  #hasRelative(kind: TokenModel): boolean {
    this.#relatives ??= this.#findRelatives();
    return this.#relatives.has(keyOf(kind));
  }

  #findRelatives(): ReadonlySet<string> {
    const { checker } = this.#types;
    const kinds = this.#types.classes().flatMap((node) => {
      const type = checker.getTypeAtLocation(node);
      const token = this.#declaredKind(type);
      return token ? [{ key: keyOf(token), type }] : [];
    });
    const isRelated = (one: ts.Type, other: ts.Type): boolean =>
      checker.isTypeAssignableTo(one, other) || checker.isTypeAssignableTo(other, one);
    return new Set(
      kinds
        .filter(({ key, type }) =>
          kinds.some((one) => one.key !== key && isRelated(one.type, type)),
        )
        .map(({ key }) => key),
    );
  }

  /** A token that is written out: `{ group: "example.com", plural: "widgets", ... }`. */
  #written(node: ts.Expression): readonly TokenModel[] | undefined {
    const at = plain(node);
    if (!ts.isObjectLiteralExpression(at)) return undefined;
    const value = evaluate(this.#reader, this.#reader.modules.get(at.getSourceFile().fileName), at);
    if (typeof value !== "object" || value === null) return undefined;
    const { group, plural } = value as { group?: unknown; plural?: unknown };
    return typeof group === "string" && typeof plural === "string"
      ? [{ group, plural }]
      : undefined;
  }

  /** The kind of a token by its type: its literal group and plural, or the type of its objects. */
  #tokenType(type: ts.Type): readonly TokenModel[] | undefined {
    const { checker } = this.#types;
    const literal = (name: string): string | undefined => {
      const property = type.getProperty(name);
      const [at] = property?.declarations ?? [];
      const value = property && at && checker.getTypeOfSymbolAtLocation(property, at);
      return value?.isStringLiteral() ? value.value : undefined;
    };
    const [group, plural, version, kind] = ["group", "plural", "version", "kind"].map(literal);
    if (group !== undefined && plural !== undefined) {
      return [{ group, plural, ...(version && kind ? { version, kind } : {}) }];
    }
    const apiVersion = literal("apiVersion");
    if (apiVersion !== undefined && kind !== undefined) {
      const builtIn = this.#reader.modules
        .builtInKinds()
        .find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
      if (builtIn) return [builtIn];
    }
    const objects = type
      .getProperties()
      .find(({ escapedName }) => String(escapedName).startsWith("__@objectType"));
    const [at] = objects?.declarations ?? [];
    return objects && at && this.ofType(checker.getTypeOfSymbolAtLocation(objects, at));
  }

  /** The kind that a class or an interface declares, or the class that it extends. */
  #declaredKind(type: ts.Type): TokenModel | undefined {
    const { modules } = this.#reader;
    for (const node of type.getSymbol()?.declarations ?? []) {
      const { fileName } = node.getSourceFile();
      const isClass = ts.isClassDeclaration(node);
      if (!isClass && !ts.isInterfaceDeclaration(node)) continue;
      const found =
        isClass && this.#types.isOfProject(node)
          ? ({ is: "declaration", node, module: modules.get(fileName) } as const)
          : modules.builtInAt(fileName, type.symbol.name);
      const token = declaredToken(this.#reader, found);
      if (token) return token;
    }
    const bases = type.isClassOrInterface() ? this.#types.checker.getBaseTypes(type) : [];
    return bases.map((base) => this.#declaredKind(base)).find((base) => base !== undefined);
  }
}

const keyOf = ({ group, plural }: TokenModel): string => `${plural}.${group}`;

const isNothing = ({ flags }: ts.Type): boolean =>
  (flags &
    (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Void | ts.TypeFlags.Never)) !==
  0;
