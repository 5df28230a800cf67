/** What the checker says of a project's expressions, as far as rights depend on it. */
import { ts } from "../load.ts";
import type { Module } from "../read/code/module.ts";
import type { Reader } from "../read/code/reader.ts";
import { isBelow } from "../read/code/checked-program.ts";
import { type Call, EACH, type Path, plain } from "./paths.ts";

/** The types of a project. */
export class Types {
  readonly checker: ts.TypeChecker;
  readonly #files: ReadonlySet<ts.SourceFile>;
  readonly #tsop: string | undefined;
  readonly #library: RegExp =
    /[/\\](?:typescript|@types[/\\]node)[/\\](?!.*[/\\]node_modules[/\\])/;

  constructor(reader: Reader, modules: readonly Module[]) {
    const [first] = modules;
    if (!first) throw new Error("types of no module");
    this.checker = reader.modules.checkerFor(first);
    this.#files = new Set(modules.map(({ file }) => file));
    this.#tsop = reader.modules.tsopFolder;
  }

  isOfProject(node: ts.Node): boolean {
    return this.#files.has(node.getSourceFile());
  }

  isOfTsop(node: ts.Node): boolean {
    const { fileName } = node.getSourceFile();
    return this.#tsop !== undefined && isBelow(fileName, this.#tsop);
  }

  /** Whether a declaration is JavaScript's or Node.js' own. */
  isOfLibrary(node: ts.Node): boolean {
    return this.#library.test(node.getSourceFile().fileName);
  }

  /** The type of an expression; what a promise holds where it is one. */
  at(node: ts.Node): ts.Type {
    const type = this.checker.getTypeAtLocation(node);
    return this.checker.getAwaitedType(type) ?? type;
  }

  /** The classes that stand by themselves in the project's files. */
  classes(): readonly ts.ClassDeclaration[] {
    return [...this.#files].flatMap(({ statements }) => statements.filter(ts.isClassDeclaration));
  }

  /**
   * Whether the code says the type of an expression, so that TypeScript did not make it from those of several branches:
   * the expression is a class, is declared with a type, or comes from tsop.
   */
  isSaid(expression: ts.Expression): boolean {
    const node = plain(expression);
    if (ts.isNewExpression(node) || node.kind === ts.SyntaxKind.ThisKeyword) return true;
    if (ts.isCallExpression(node)) {
      const signatures = this.signaturesOf(node);
      return (
        signatures.length > 0 &&
        signatures.every(
          (one) =>
            (this.isOfProject(one) && one.type !== undefined) ||
            (this.isOfTsop(one) &&
              node.arguments.slice(0, 2).every((given) => this.#isOneValue(given))),
        )
      );
    }
    if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return false;
    const declarations = this.declarationsAt(node);
    return declarations.length > 0 && declarations.every((one) => this.#isSaidBy(one));
  }

  #isSaidBy(node: ts.Declaration): boolean {
    if (!this.isOfProject(node) || ts.isClassLike(node)) return true;
    if (ts.isGetAccessorDeclaration(node)) return node.type !== undefined;
    if (ts.isParameter(node) && !node.type) {
      const owner = node.parent;
      const isHanded =
        ts.isArrowFunction(owner) ||
        ts.isFunctionExpression(owner) ||
        ts.isMethodDeclaration(owner);
      const expected = isHanded ? this.expectedSignatures(owner) : [];
      return expected !== "unknown" && expected.length > 0;
    }
    const isTyped =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isPropertySignature(node);
    return isTyped && node.type !== undefined;
  }

  /** Whether an argument is no choice between values, whose types could become one. */
  #isOneValue(node: ts.Expression): boolean {
    const at = plain(node);
    return (
      this.isSaid(at) ||
      ts.isLiteralExpression(at) ||
      ts.isObjectLiteralExpression(at) ||
      !(this.checker.getTypeAtLocation(at).flags & ts.TypeFlags.Object)
    );
  }

  /** The types of a part of an expression; none where they are not known. */
  along(node: ts.Expression, path: Path): readonly ts.Type[] {
    return this.#part(this.at(node), path, node);
  }

  #part(type: ts.Type, path: Path, node: ts.Node): readonly ts.Type[] {
    const { checker } = this;
    const [step, ...rest] = path;
    if (step === undefined) return [type];
    const from = checker.getNonNullableType(checker.getApparentType(type));
    const next = (types: readonly ts.Type[], more: Path = rest): readonly ts.Type[] =>
      types.flatMap((one) => this.#part(one, more, node));
    if (from.isUnion()) return next(from.types, path);
    const items = this.argumentsOf(from);
    if (checker.isArrayType(from) && (step === EACH || /^\d+$/.test(step))) return next(items);
    if (checker.isTupleType(from) && (step === EACH || /^\d+$/.test(step))) {
      const one = step === EACH ? undefined : items[Number(step)];
      return next(one ? [one] : items);
    }
    const [first, second] = items;
    if (step === EACH) {
      const name = from.getSymbol()?.name ?? "";
      if (/^(?:Readonly)?Map$/.test(name) && first && second) {
        return rest[0] === "1" ? next([second], rest.slice(1)) : [];
      }
      if (/Set$|Iterable|Iterator|Generator$/.test(name) && first) return next([first]);
      const index = checker.getIndexTypeOfType(from, ts.IndexKind.String);
      const own = from.getProperties().map((one) => checker.getTypeOfSymbolAtLocation(one, node));
      return next(index ? [index] : own);
    }
    const property = checker.getPropertyOfType(from, step);
    if (property) return next([checker.getTypeOfSymbolAtLocation(property, node)]);
    const index = checker.getIndexTypeOfType(from, ts.IndexKind.String);
    return index ? next([index]) : [];
  }

  /** The type arguments of a type; none of one that takes none. */
  argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? this.checker.getTypeArguments(type) : [];
  }

  /** The declarations of a name or an access, behind imports. */
  declarationsAt(node: ts.Node): readonly ts.Declaration[] {
    return this.symbolAt(node)?.declarations ?? [];
  }

  symbolAt(node: ts.Node): ts.Symbol | undefined {
    const { checker } = this;
    const isShort = ts.isShorthandPropertyAssignment(node.parent);
    const symbol = isShort
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(ts.isPropertyAccessExpression(node) ? node.name : node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias
      ? checker.getAliasedSymbol(symbol)
      : symbol;
  }

  /** The declarations of the signatures that a call can be of; none where the callee is not known. */
  signaturesOf(call: Call): readonly ts.SignatureDeclaration[] {
    const callee = this.checker.getTypeAtLocation(call.expression);
    const type = this.checker.getNonNullableType(callee);
    if (type.isUnion()) return this.#signaturesIn(type, ts.isNewExpression(call));
    const found = this.checker.getResolvedSignature(call)?.declaration;
    return found && !ts.isJSDocSignature(found) ? [found] : [];
  }

  /** The declarations of the signatures that an expression has. */
  signaturesAt(node: ts.Node): readonly ts.SignatureDeclaration[] {
    return this.#signaturesIn(this.checker.getTypeAtLocation(node), false);
  }

  #signaturesIn(type: ts.Type, isNew: boolean): readonly ts.SignatureDeclaration[] {
    const from = this.checker.getNonNullableType(type);
    const all = from.isUnion() ? from.types : [from];
    const kind = isNew ? ts.SignatureKind.Construct : ts.SignatureKind.Call;
    return all.flatMap((one) =>
      this.checker
        .getSignaturesOfType(this.checker.getApparentType(one), kind)
        .flatMap(({ declaration }) =>
          declaration && !ts.isJSDocSignature(declaration) ? [declaration] : [],
        ),
    );
  }

  /**
   * The signatures as which a function is expected where it stands; `unknown` where anything is taken. None where
   * nothing is expected: its own type is kept.
   */
  expectedSignatures(node: ts.Expression | ts.MethodDeclaration): readonly ts.Node[] | "unknown" {
    const type = this.expected(node);
    if (!type) return [];
    const signatures = this.#signaturesIn(type, false);
    if (signatures.length > 0) return signatures;
    return type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown) ||
      type.getSymbol()?.name === "Function"
      ? "unknown"
      : [];
  }

  /** The type that is expected where an expression stands. */
  expected(node: ts.Expression | ts.MethodDeclaration): ts.Type | undefined {
    if (!ts.isMethodDeclaration(node)) return this.checker.getContextualType(node);
    const literal = node.parent;
    const around = ts.isObjectLiteralExpression(literal) && this.checker.getContextualType(literal);
    if (!around || !ts.isIdentifier(node.name)) return undefined;
    const [type] = this.#part(around, [node.name.text], node);
    return type;
  }

  /** The classes that a class extends, nearest first. */
  basesOf(node: ts.ClassLikeDeclaration): readonly ts.ClassLikeDeclaration[] {
    const found: ts.ClassLikeDeclaration[] = [];
    for (let next = this.#baseOf(node); next && !found.includes(next); next = this.#baseOf(next)) {
      found.push(next);
    }
    return found;
  }

  #baseOf(node: ts.ClassLikeDeclaration): ts.ClassLikeDeclaration | undefined {
    const base = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
      ?.types[0];
    return base && this.classAt(base.expression);
  }

  /** The class of the project whose instance, or which itself, an expression is. */
  classAt(node: ts.Expression): ts.ClassLikeDeclaration | undefined {
    const type = this.checker.getNonNullableType(this.at(node));
    const symbols = (type.isIntersection() ? type.types : [type]).map((one) => one.getSymbol());
    const declarations = symbols.flatMap((symbol) => symbol?.declarations ?? []);
    return declarations.find((one) => ts.isClassLike(one) && this.isOfProject(one)) as
      | ts.ClassLikeDeclaration
      | undefined;
  }

  /** The members of that name of what a class extends and implements. */
  inheritedMembers(node: ts.ClassLikeDeclaration, name: ts.PropertyName): readonly ts.Node[] {
    const types = (node.heritageClauses ?? []).flatMap(({ types: all }) => all);
    return types.flatMap((one) => {
      const type = this.checker.getTypeAtLocation(one);
      return this.checker.getPropertyOfType(type, name.getText())?.declarations ?? [];
    });
  }

  isMap(node: ts.Node): boolean {
    return /^(?:Readonly)?Map$/.test(this.at(node).getSymbol()?.name ?? "");
  }

  /** Whether nothing is known of an expression: it is `any`. */
  isAny(node: ts.Node): boolean {
    return (this.checker.getTypeAtLocation(node).flags & ts.TypeFlags.Any) !== 0;
  }
}

const isReference = (type: ts.Type): type is ts.TypeReference =>
  (type.flags & ts.TypeFlags.Object) !== 0 &&
  ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;

/** The name of the type or module function that a member of tsop belongs to: `Client.get`, `createManager`. */
export function memberName(declaration: ts.SignatureDeclaration): string {
  const name = declaration.name?.getText() ?? "";
  const { parent } = declaration;
  const isMember = ts.isInterfaceDeclaration(parent) || ts.isClassLike(parent);
  return isMember ? `${parent.name?.text ?? ""}.${name}` : name;
}
