/**
 * Types that are plain to TypeScript's checker, and still known by what they stand for.
 *
 * `Int32` is `number`: each conditional, mapped or generic type has to take it for that. A type of the checker is an
 * object, though, and what relates a number to others are its flags: a copy of `number` with an identity of its own
 * is a number to all of them, and is carried through whatever they compute.
 */
import { ts } from "../../load.ts";

/** The meaning of a copy. */
export interface Brand {
  /** A scalar of `tsop`, a type narrowed by keywords, or an alias with markers. */
  readonly of:
    | { readonly scalar: string }
    | { readonly type: ts.Type; readonly keywords: ts.Type }
    | { readonly alias: ts.TypeAliasDeclaration };
  /** How many members of a union stand for it together; 1 for what is no union. */
  readonly members: number;
}

/** The parts of the compiler that its declarations leave out. */
interface InnerChecker extends ts.TypeChecker {
  createAnonymousType(...parts: readonly unknown[]): ts.Type;
  getUnionType(types: readonly ts.Type[]): ts.Type;
}
interface InnerSymbol extends ts.Symbol {
  links?: object;
}
interface InnerType extends ts.Type {
  instantiations?: Map<string, ts.Type>;
}

const brands = new WeakMap<ts.Type, Brand>();

/** What a type stands for besides what TypeScript knows of it. */
export const brandOf = (type: ts.Type): Brand | undefined => brands.get(type);

const KEEPS = "{ readonly type: T; readonly keywords: _Keywords }";

/** The declarations of `With` and `Str` with both arguments in them, so that they are there where a copy is made. */
export const keepingKeywords = (text: string): string =>
  text
    .replace(/(type With<[^;]*>) = T;/, `$1 = ${KEEPS};`)
    .replace(/(type Str<[^;]*>) = string;/, `$1 = ${KEEPS.replace("T;", "string;")};`);

/** The files whose aliases are copies. */
export interface BrandedFiles {
  readonly scalars: ts.SourceFile | undefined;
  readonly constrained: ts.SourceFile | undefined;
  /** Files whose aliases have markers. */
  readonly own: readonly ts.SourceFile[];
}

/** Has the checker of a new program, of which nothing was asked, take the scalars and the like for copies. */
export function installBrands(checker: ts.TypeChecker, files: BrandedFiles): void {
  const inner = checker as InnerChecker;
  for (const [symbol, node] of aliasesOf(files.scalars)) {
    declareLazily(symbol, () =>
      stand(inner, checker.getTypeFromTypeNode(node.type), { scalar: node.name.text }),
    );
  }
  for (const [symbol] of aliasesOf(files.constrained)) {
    const declared: InnerType = checker.getDeclaredTypeOfSymbol(symbol);
    if (isKeeper(checker, declared)) declared.instantiations = new Instantiations(inner, declared);
  }
  for (const file of files.own) {
    for (const [symbol, node] of aliasesOf(file)) {
      if (node.typeParameters || ts.getJSDocTags(node).length === 0) continue;
      declareLazily(symbol, () =>
        stand(inner, checker.getTypeFromTypeNode(node.type), { alias: node }),
      );
    }
  }
}

function aliasesOf(file: ts.SourceFile | undefined): [ts.Symbol, ts.TypeAliasDeclaration][] {
  return (file?.statements ?? []).flatMap((node) => {
    const symbol = (node as { symbol?: ts.Symbol }).symbol;
    return ts.isTypeAliasDeclaration(node) && symbol ? [[symbol, node]] : [];
  });
}

/** Answers the checker's question for the declared type of an alias, when it asks. */
function declareLazily(symbol: InnerSymbol, typeOf: () => ts.Type): void {
  let made: ts.Type | undefined;
  let isMaking = false;
  symbol.flags |= ts.SymbolFlags.Transient;
  symbol.links = {
    checkFlags: 0,
    get declaredType(): ts.Type | undefined {
      // An alias that leads to itself is left to the checker, which tells it.
      if (isMaking) return made;
      isMaking = true;
      made ??= typeOf();
      isMaking = false;
      return made;
    },
    set declaredType(type: ts.Type) {
      made ??= type;
    },
  };
}

const COPIED = ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.Object;
const WHOLE =
  ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never | ts.TypeFlags.Instantiable;

/** A type that is `type` to the checker. */
function stand(checker: InnerChecker, type: ts.Type, of: Brand["of"]): ts.Type {
  if (type.flags & WHOLE) return type;
  if (!type.isUnion() && type.flags & COPIED) return copy(checker, type, { of, members: 1 });
  const members = type.isUnion() ? type.types : [type];
  const brand = { of, members: members.length };
  const copies = members.map((one) => (one.flags & COPIED ? copy(checker, one, brand) : one));
  // Literals are told apart by their identity: the union of them has the brand, alone.
  const whole = type.isUnion() ? checker.getUnionType(copies) : type;
  return become(emptyType(checker), whole, brand, copies);
}

const copy = (checker: InnerChecker, type: ts.Type, brand: Brand): ts.Type =>
  become(emptyType(checker), type, brand);

const emptyType = (checker: InnerChecker): ts.Type =>
  checker.createAnonymousType(undefined, new Map(), [], [], []);

/** Makes a copy of a type of one that nothing refers to yet. */
function become(
  target: ts.Type,
  type: ts.Type,
  brand: Brand,
  members: readonly ts.Type[] = [],
): ts.Type {
  const { id } = target as ts.Type & { readonly id: number };
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, type, { id });
  if (members.length > 0 && !type.isUnion()) {
    Object.assign(target, { flags: ts.TypeFlags.Union, types: members, objectFlags: 0 });
  }
  brands.set(target, brand);
  return target;
}

/** Whether it is one of the declarations that `keepingKeywords` changed. */
const isKeeper = (checker: ts.TypeChecker, type: ts.Type): boolean =>
  checker.getPropertyOfType(type, "keywords")?.declarations?.every(ts.isPropertySignature) ?? false;

/** The types that `With` and `Str` make: each becomes a copy of its first argument when it is made. */
class Instantiations extends Map<string, ts.Type> {
  readonly #checker: InnerChecker;

  constructor(checker: InnerChecker, declared: ts.Type) {
    super();
    this.#checker = checker;
    super.set("", declared);
  }

  override set(id: string, made: ts.Type): this {
    const [type, keywords] = ["type", "keywords"].map((name) => {
      const symbol = this.#checker.getPropertyOfType(made, name);
      return symbol && this.#checker.getTypeOfSymbol(symbol);
    });
    // Within a generic declaration the arguments are not known: there it is made once more, with them.
    if (type && keywords && !((type.flags | keywords.flags) & ts.TypeFlags.Instantiable)) {
      const made_ = stand(this.#checker, type, { type, keywords });
      become(made, made_, brands.get(made_) ?? { of: { type, keywords }, members: 1 });
    }
    return super.set(id, made);
  }
}
