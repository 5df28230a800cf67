/**
 * What TypeScript says of a JSON value: whether it is one of a type that the checker has resolved.
 *
 * Besides what is assignable there is what is meant: nothing but what the type names, within the markers of its
 * fields, and without the fields that have a default. The checker itself confirms each answer that it can give.
 */
import ts from "typescript";
import { isOfScalar, satisfies, scalarOf } from "./marks.ts";

/** What is asked of a value. */
export interface Question {
  /** Whether the value may have fields that the type does not name, as one that is no literal may. */
  readonly extra: boolean;
  /** Whether the markers have to hold. */
  readonly marks: boolean;
  /**
   * Whether the type is read as JSON means it: fields may be left out that have an initializer or may be undefined,
   * a branded text is a text, a template is whatever its parts can make. As TypeScript assigns it otherwise.
   */
  readonly json: boolean;
  /** Whether numbers inside of texts have to be in their own spelling: to TypeScript " 0x1" is one, too. */
  readonly spelled: boolean;
}

/** A field of an object type. */
export interface TypeField {
  readonly name: string;
  readonly type: ts.Type;
  readonly optional: boolean;
  /** Whether it has an initializer, or may be undefined. */
  readonly omitted: boolean;
  readonly declarations: readonly ts.Declaration[];
  /** The name of the scalar as which the field itself is declared. */
  readonly scalar?: string | undefined;
}

/** The elements of a list. */
export interface TypeList {
  readonly items: readonly ts.Type[];
  readonly least: number;
  /** The index of the element that is repeated; absent for a list of fixed length. */
  readonly rest?: number;
}

const MAX_DEPTH = 40;

/** Answers questions about the types of one program. */
export class TypeVerdicts {
  readonly #checker: ts.TypeChecker;
  readonly #program: ts.Program;
  readonly #fields = new Map<ts.Type, readonly TypeField[]>();

  constructor(program: ts.Program) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
  }

  /** Whether the value is one of the type. */
  fits(type: ts.Type, value: unknown, question: Question, depth = 0): boolean {
    const { flags } = type;
    if (depth > MAX_DEPTH) throw new Error("the value is nested too deeply");
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true;
    if (type.isUnion()) return this.#fitsUnion(type, value, question, depth);
    if (flags & ts.TypeFlags.Null) return value === null;
    if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
    if (flags & ts.TypeFlags.BooleanLiteral) {
      return value === (this.#checker.typeToString(type) === "true");
    }
    if (flags & (ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping)) {
      return typeof value === "string" && this.#fitsTemplate(type, value, question);
    }
    if (flags & ts.TypeFlags.String) return typeof value === "string";
    if (flags & (ts.TypeFlags.Number | ts.TypeFlags.Enum)) return typeof value === "number";
    if (flags & ts.TypeFlags.Boolean) return typeof value === "boolean";
    if (flags & ts.TypeFlags.NonPrimitive) return typeof value === "object" && value !== null;
    if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return false;
    if (type.isIntersection()) {
      if (this.#isNever(type)) return false;
      const plain = type.types.filter((part) => !(part.flags & ts.TypeFlags.Object));
      if (plain.length > 0) {
        return question.json
          ? plain.every((part) => this.fits(part, value, question, depth))
          : type.types.every((part) => this.fits(part, value, question, depth));
      }
    }
    return this.#fitsObject(type, value, question, depth);
  }

  /** Whether the value is one of a field. */
  fitsField(
    { type, declarations, scalar }: TypeField,
    value: unknown,
    question: Question,
    depth = 0,
  ): boolean {
    if (question.marks && !satisfies(declarations, value)) return false;
    if (question.marks && scalar !== undefined && !isOfScalar(scalar, value)) return false;
    return this.fits(type, value, question, depth);
  }

  /** The fields of an object type. */
  fieldsOf(type: ts.Type): readonly TypeField[] {
    const known = this.#fields.get(type);
    if (known) return known;
    const fields = this.#checker
      .getPropertiesOfType(type)
      .filter((symbol) => !isCode(symbol) && !this.#isRenamedMethod(symbol))
      .map((symbol): TypeField => {
        const of = this.#checker.getTypeOfSymbol(symbol);
        const declarations = symbol.getDeclarations() ?? [];
        const parts = of.isUnion() ? of.types : [of];
        return {
          name: symbol.getName(),
          type: of,
          optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
          omitted:
            parts.some((part) => (part.flags & ts.TypeFlags.Undefined) !== 0) ||
            declarations.some(hasInitializer),
          declarations,
          scalar: symbol.flags & ts.SymbolFlags.Transient ? undefined : scalarOf(declarations),
        };
      });
    this.#fields.set(type, fields);
    return fields;
  }

  /** The name of the scalar as which the field at a path below a field is declared, if that is known. */
  scalarAt(field: TypeField, path: string): string | undefined {
    let at: TypeField | undefined = field;
    for (const name of path.replace(/^spec\.v\.?/, "").split(".")) {
      if (name === "") continue;
      at = this.fieldsOf(at.type).find((one) => one.name === name);
      if (!at) return undefined;
    }
    return at.scalar;
  }

  /** The elements of a list; `undefined` for what is no list. */
  listOf(type: ts.Type): TypeList | undefined {
    const checker = this.#checker;
    if (checker.isTupleType(type)) {
      const { target } = type as ts.TupleTypeReference;
      const rest = target.elementFlags.findIndex((flag) => flag & ts.ElementFlags.Variable);
      return {
        items: checker.getTypeArguments(type as ts.TupleTypeReference),
        least: target.minLength,
        ...(rest < 0 ? {} : { rest }),
      };
    }
    if (!checker.isArrayType(type)) return undefined;
    return { items: checker.getTypeArguments(type as ts.TypeReference), least: 0, rest: 0 };
  }

  /** Whether each of two types is assignable to the other. */
  areEqual(one: ts.Type, other: ts.Type): boolean {
    const checker = this.#checker;
    return checker.isTypeAssignableTo(one, other) && checker.isTypeAssignableTo(other, one);
  }

  /** Whether it is one object type. */
  isObject(type: ts.Type): boolean {
    const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
    return isObject && !this.listOf(type) && type.getNumberIndexType() === undefined;
  }

  /** The type of the values under names that are no fields. */
  valuesOf(type: ts.Type): ts.Type | undefined {
    return type.getStringIndexType();
  }

  /** Whether it is plain JSON: no function, and no class of the library. */
  isPlain(type: ts.Type): boolean {
    if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) return false;
    const { symbol } = type as { readonly symbol?: ts.Symbol };
    return !(symbol?.getDeclarations() ?? []).some(
      (node) =>
        !symbol?.getName().startsWith("__") &&
        this.#program.isSourceFileDefaultLibrary(node.getSourceFile()),
    );
  }

  /** Whether no value can satisfy all parts: the tags of two variants contradict each other. */
  #isNever(type: ts.IntersectionType): boolean {
    if (this.#checker.getPropertiesOfType(type).length > 0) return false;
    return type.types.some((part) => this.#checker.getPropertiesOfType(part).length > 0);
  }

  /** Whether it is a method under another name, which has no declaration. */
  #isRenamedMethod(symbol: ts.Symbol): boolean {
    if ((symbol.getDeclarations() ?? []).length > 0) return false;
    return this.#checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
  }

  #fitsUnion({ types }: ts.UnionType, value: unknown, question: Question, depth: number): boolean {
    if (types.some((part) => this.fits(part, value, question, depth + 1))) return true;
    const mayMix = !question.extra && question.json && !question.spelled;
    if (!mayMix || typeof value !== "object" || value === null || Array.isArray(value))
      return false;
    // In a literal TypeScript takes the fields of all variants that no tag excludes.
    const objects = types.filter((part) => this.isObject(part));
    const fitting = objects.filter((part) =>
      this.fits(part, value, { ...question, extra: true }, depth + 1),
    );
    const mixed = this.#hasTag(objects) ? fitting : objects;
    const named = new Set(mixed.flatMap((part) => this.fieldsOf(part).map(({ name }) => name)));
    return fitting.some((part) => {
      const own = new Set(this.fieldsOf(part).map(({ name }) => name));
      const entries = Object.entries(value).filter(([name]) => own.has(name) || !named.has(name));
      return this.fits(part, Object.fromEntries(entries), question, depth + 1);
    });
  }

  /** Whether a field tells some of the variants apart. */
  #hasTag(variants: readonly ts.Type[]): boolean {
    const fields = variants.flatMap((part) => this.fieldsOf(part));
    const tags = fields.filter(({ type }) => (type.flags & ts.TypeFlags.Unit) !== 0);
    return tags.some(({ name }) => fields.filter((field) => field.name === name).length > 1);
  }

  #fitsTemplate(type: ts.Type, value: string, { json, spelled }: Question): boolean {
    const own = this.#checker.getStringLiteralType(value);
    if (this.#checker.isTypeAssignableTo(own, type)) {
      return !spelled || (patternOf(type, OWN_SPELLING)?.test(value) ?? true);
    }
    // TypeScript looks for the first way only in which the parts of a text can be read.
    return json && !spelled && (patternOf(type, ANY_SPELLING)?.test(value) ?? false);
  }

  #fitsObject(type: ts.Type, value: unknown, question: Question, depth: number): boolean {
    const list = this.listOf(type);
    if (list) return this.#fitsList(list, value, question, depth);
    if (value === null || value === undefined || !this.isPlain(type)) return false;
    const fields = this.fieldsOf(type);
    const values = this.valuesOf(type);
    // JSON has no code, which TypeScript asks for.
    if (!question.json && !question.extra && this.#checker.getPropertiesOfType(type).some(isCode)) {
      return false;
    }
    if (typeof value !== "object" || Array.isArray(value)) {
      return (
        !question.json && question.extra && !values && fields.every(({ optional }) => optional)
      );
    }
    const { symbol } = type as { readonly symbol?: ts.Symbol };
    if (question.marks && !satisfies(symbol?.getDeclarations() ?? [], value)) return false;
    const entries = new Map<string, unknown>(Object.entries(value));
    for (const field of fields) {
      const { name, optional, omitted } = field;
      if (!entries.has(name)) {
        if (!optional && !(omitted && question.json)) return false;
        continue;
      }
      if (!this.fitsField(field, entries.get(name), question, depth + 1)) return false;
    }
    const others = [...entries].filter(([name]) => !fields.some((one) => one.name === name));
    if (!values) return question.extra || others.length === 0;
    return others.every(([, other]) => this.fits(values, other, question, depth + 1));
  }

  #fitsList(list: TypeList, value: unknown, question: Question, depth: number): boolean {
    if (!Array.isArray(value) || value.length < list.least) return false;
    if (list.rest === undefined && value.length > list.items.length) return false;
    return value.every((item: unknown, index) => {
      const of = itemOf(list, index, value.length);
      return of !== undefined && this.fits(of, item, question, depth + 1);
    });
  }
}

/** The type of an item of a list of some length. */
export function itemOf(
  { items, rest }: TypeList,
  index: number,
  length: number,
): ts.Type | undefined {
  if (rest === undefined || index < rest) return items[index];
  const after = items.length - 1 - rest;
  return index >= length - after ? items[items.length - (length - index)] : items[rest];
}

/** Methods, accessors and what is private of a class are code. */
function isCode(symbol: ts.Symbol): boolean {
  const [declaration] = symbol.getDeclarations() ?? [];
  if (!declaration) return false;
  if (ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration)) return true;
  if (ts.isPropertyDeclaration(declaration) && ts.isPrivateIdentifier(declaration.name))
    return true;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(declaration) & hidden) !== 0;
}

const hasInitializer = (node: ts.Declaration): boolean =>
  (ts.isPropertyDeclaration(node) || ts.isParameter(node)) && node.initializer !== undefined;

const OWN_SPELLING = "-?(?:0|[1-9]\\d*)";
const ANY_SPELLING = "-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?";

/** The pattern of a template whose parts are plain texts and numbers. */
function patternOf(type: ts.Type, number: string): RegExp | undefined {
  if (!(type.flags & ts.TypeFlags.TemplateLiteral)) return undefined;
  const { texts, types } = type as ts.TemplateLiteralType;
  const parts = types.map(({ flags }) => {
    if (flags & ts.TypeFlags.Number) return number;
    return flags & ts.TypeFlags.String ? "[^]*" : undefined;
  });
  if (parts.includes(undefined)) return undefined;
  const escaped = texts.map((text) => text.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^${escaped.map((text, index) => text + (parts[index] ?? "")).join("")}$`);
}
