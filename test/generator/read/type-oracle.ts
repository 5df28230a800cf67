/**
 * What TypeScript's own checker says about the type of a field, in the words of a schema.
 *
 * It shares nothing with the generator: it is the judge of what the generator reads.
 */
import ts from "typescript";

/** A type or a schema, as far as both can say the same. */
export type Shape =
  | { readonly is: "string" | "number" | "boolean"; readonly values?: readonly string[] }
  | { readonly is: "int-or-string" | "union" | "anything" }
  /** A template literal: a text with a pattern. */
  | { readonly is: "pattern" }
  | { readonly is: "list"; readonly of: Shape; readonly length?: number; readonly least?: number }
  | { readonly is: "record"; readonly of: Shape }
  | {
      readonly is: "object";
      readonly fields: Readonly<Record<string, Shape>>;
      readonly required: readonly string[];
    }
  | { readonly is: "null or"; readonly of: Shape }
  /** No JSON value, or nothing that a schema can say. */
  | { readonly is: "nothing"; readonly why: string };

const nothing = (why: string): Shape => ({ is: "nothing", why });

/** Asks the checker of one program. */
export class TypeOracle {
  readonly #checker: ts.TypeChecker;
  readonly #program: ts.Program;

  constructor(paths: readonly string[], options: ts.CompilerOptions) {
    this.#program = ts.createProgram([...paths], options);
    this.#checker = this.#program.getTypeChecker();
  }

  /** The errors of a file: a corpus that does not compile proves nothing. */
  errors(path: string): string[] {
    const file = this.#program.getSourceFile(path);
    return this.#program
      .getSemanticDiagnostics(file)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  }

  /** The shape of the class `name` of a file. */
  shapeOf(path: string, name: string): Shape {
    const file = this.#program.getSourceFile(path);
    const symbol = file && this.#checker.getSymbolAtLocation(file);
    const exported = symbol?.exports?.get(ts.escapeLeadingUnderscores(name));
    if (!exported) throw new Error(`${path} does not export ${name}`);
    return this.#shape(this.#checker.getDeclaredTypeOfSymbol(exported), []);
  }

  #shape(type: ts.Type, within: readonly ts.Type[]): Shape {
    if (within.length > 30) return nothing("too deep");
    if (type.isUnion()) return this.#union(type.types, within);
    const { flags } = type;
    if (flags & ts.TypeFlags.Null) return { is: "null or", of: nothing("only null") };
    if (type.isStringLiteral()) return { is: "string", values: [JSON.stringify(type.value)] };
    if (type.isNumberLiteral()) return { is: "number", values: [JSON.stringify(type.value)] };
    if (flags & ts.TypeFlags.BooleanLiteral) {
      return { is: "boolean", values: [this.#checker.typeToString(type)] };
    }
    if (flags & ts.TypeFlags.TemplateLiteral) return { is: "pattern" };
    if (flags & ts.TypeFlags.String) return { is: "string" };
    if (flags & ts.TypeFlags.Number) return { is: "number" };
    if (flags & ts.TypeFlags.Boolean) return { is: "boolean" };
    if (flags & ts.TypeFlags.Unknown) return { is: "anything" };
    if (type.isIntersection()) {
      const plain = type.types.find(
        (part) =>
          (part.flags &
            (ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike)) !==
          0,
      );
      if (plain) return this.#shape(plain, within);
    }
    if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) {
      return flags & ts.TypeFlags.NonPrimitive
        ? { is: "object", fields: {}, required: [] }
        : nothing(this.#checker.typeToString(type));
    }
    if (within.includes(type)) return nothing("recursive");
    return this.#object(type, [...within, type]);
  }

  #union(parts: readonly ts.Type[], within: readonly ts.Type[]): Shape {
    const isNull = (part: ts.Type): boolean => (part.flags & ts.TypeFlags.Null) !== 0;
    const rest = parts.filter((part) => !isNull(part) && !(part.flags & ts.TypeFlags.Undefined));
    if (parts.some(isNull)) return { is: "null or", of: this.#union(rest, within) };
    const [only] = rest;
    if (!only) return nothing("undefined alone");
    if (rest.length === 1) return this.#shape(only, within);
    const shapes = rest.map((part) => this.#shape(part, within));
    const wrong = shapes.find(({ is }) => is === "nothing");
    if (wrong) return wrong;
    const kinds = new Set(shapes.map(({ is }) => is));
    const values = shapes.flatMap((shape) => ("values" in shape ? (shape.values ?? []) : []));
    const [kind] = kinds;
    if (kinds.size === 1 && kind === "boolean") {
      return new Set(values).size === 2 || values.length < rest.length
        ? { is: "boolean" }
        : { is: "boolean", values };
    }
    if (kinds.size === 1 && (kind === "string" || kind === "number")) {
      return values.length === rest.length ? { is: kind, values } : { is: kind };
    }
    if (kinds.size === 2 && kinds.has("string") && kinds.has("number") && values.length === 0) {
      return { is: "int-or-string" };
    }
    if (kinds.has("pattern") && [...kinds].every((one) => one === "pattern" || one === "string")) {
      return shapes.some((shape) => shape.is === "string" && !shape.values)
        ? { is: "string" }
        : { is: "pattern" };
    }
    return kinds.size === 1 && kind === "object" ? { is: "union" } : nothing("a mixed union");
  }

  #object(type: ts.Type, within: readonly ts.Type[]): Shape {
    const checker = this.#checker;
    if (checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference, within);
    const parts = type.isIntersection() ? type.types : [];
    const item = type.getNumberIndexType();
    if (item && parts.some((part) => checker.isArrayType(part))) {
      return { is: "list", of: this.#shape(item, within) };
    }
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference);
      return element ? { is: "list", of: this.#shape(element, within) } : nothing("a list");
    }
    // An intersection has no symbol, whatever the type of this property says.
    const { symbol } = type as { readonly symbol?: ts.Symbol };
    const declared = symbol?.getDeclarations() ?? [];
    if (declared.some((node) => this.#program.isSourceFileDefaultLibrary(node.getSourceFile()))) {
      const named = symbol?.getName() ?? "";
      if (item && within.length > 0) return { is: "list", of: this.#shape(item, within) };
      // Mapped types such as Partial are declared there too; they have names that begin with `__`.
      if (!named.startsWith("__")) return nothing(`the library's ${named}`);
    }
    if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) {
      return nothing("a function");
    }
    const fields: Record<string, Shape> = {};
    const required: string[] = [];
    for (const symbol of checker.getPropertiesOfType(type)) {
      if (this.#isCode(symbol)) continue;
      if (symbol.getName().startsWith("__@")) return nothing("a symbol as a key");
      const of = checker.getTypeOfSymbol(symbol);
      if (of.flags & ts.TypeFlags.Undefined) continue;
      fields[symbol.getName()] = this.#shape(of, within);
      const maybe =
        (symbol.flags & ts.SymbolFlags.Optional) !== 0 ||
        (of.isUnion() && of.types.some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0)) ||
        this.#hasDefault(symbol);
      if (!maybe) required.push(symbol.getName());
    }
    const [key, ...keys] = checker.getIndexInfosOfType(type);
    const other = key && key.keyType.flags & ts.TypeFlags.TemplateLiteral;
    if (keys.length > 0 || other) return nothing("keys of a form");
    const index = key?.type;
    // No field can have a value: an object without fields.
    if (index && index.flags & ts.TypeFlags.Never) return { is: "object", fields, required };
    if (index) {
      return Object.keys(fields).length > 0
        ? nothing("fields and an index")
        : { is: "record", of: this.#shape(index, within) };
    }
    const wrong = Object.values(fields).find(({ is }) => is === "nothing");
    return wrong ?? { is: "object", fields, required };
  }

  #tuple(type: ts.TupleTypeReference, within: readonly ts.Type[]): Shape {
    const items = this.#checker.getTypeArguments(type).map((item) => this.#shape(item, within));
    const texts = new Set(items.map((item) => JSON.stringify(normal(item))));
    const [first] = items;
    if (!first || texts.size !== 1) return nothing("a tuple of several types");
    const { minLength, combinedFlags } = type.target;
    const hasRestElement = (combinedFlags & ts.ElementFlags.Variable) !== 0;
    return hasRestElement
      ? { is: "list", of: first, least: minLength }
      : { is: "list", of: first, length: items.length, least: minLength };
  }

  /** Methods, accessors and what is private of a class are code. */
  #isCode(symbol: ts.Symbol): boolean {
    const [declaration] = symbol.getDeclarations() ?? [];
    if (!declaration) return false;
    if (ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration)) return true;
    if (ts.isPropertyDeclaration(declaration) && ts.isPrivateIdentifier(declaration.name))
      return true;
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    return (ts.getCombinedModifierFlags(declaration) & hidden) !== 0;
  }

  /** An initialiser is the default of a field, which may be left out. */
  #hasDefault(symbol: ts.Symbol): boolean {
    return (symbol.getDeclarations() ?? []).some(
      (node) =>
        (ts.isPropertyDeclaration(node) || ts.isParameter(node)) && node.initializer !== undefined,
    );
  }
}

/** The keywords of a schema that the comparison looks at. */
export interface SchemaLike {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly allOf?: readonly unknown[];
  readonly nullable?: boolean;
  readonly items?: SchemaLike;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, SchemaLike>>;
  readonly additionalProperties?: SchemaLike | boolean;
  readonly required?: readonly string[];
  readonly "x-kubernetes-validations"?: readonly unknown[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/** The shape that a schema says. */
export function shapeOfSchema(schema: SchemaLike): Shape {
  const { nullable, ...rest } = schema;
  if (nullable === true) {
    // Null beside an enumeration is a rule: the API server refuses it in `enum`.
    const [rule] = (schema["x-kubernetes-validations"] ?? []) as { rule: string }[];
    const listed = /^self in (\[.*\])$/.exec(rule?.rule ?? "")?.[1];
    const values = listed === undefined ? {} : { enum: JSON.parse(listed) as unknown[] };
    return { is: "null or", of: shapeOfSchema({ ...rest, ...values }) };
  }
  if (schema["x-kubernetes-int-or-string"] === true) return { is: "int-or-string" };
  switch (schema.type) {
    case "string":
    case "boolean":
    case "integer":
    case "number": {
      const is = schema.type === "integer" ? "number" : schema.type;
      if (schema.enum) return { is, values: schema.enum.map((value) => JSON.stringify(value)) };
      return schema.pattern !== undefined || schema.allOf !== undefined
        ? { is: "pattern" }
        : { is };
    }
    case "array": {
      const { minItems, maxItems, items = {} } = schema;
      return {
        is: "list",
        of: shapeOfSchema(items),
        ...(maxItems === undefined ? {} : { length: maxItems }),
        ...(minItems === undefined ? {} : { least: minItems }),
      };
    }
    case "object": {
      const { additionalProperties, properties } = schema;
      if (typeof additionalProperties === "object") {
        return { is: "record", of: shapeOfSchema(additionalProperties) };
      }
      if (!properties && schema["x-kubernetes-preserve-unknown-fields"] === true) {
        return { is: "record", of: { is: "anything" } };
      }
      const rules = (schema["x-kubernetes-validations"] ?? []) as { message?: string }[];
      if (rules.some(({ message }) => /does not take|exactly one of/.test(message ?? ""))) {
        return { is: "union" };
      }
      const fields = Object.entries(properties ?? {}).map(([name, field]) => [
        name,
        shapeOfSchema(field),
      ]);
      return {
        is: "object",
        fields: Object.fromEntries(fields) as Record<string, Shape>,
        required: schema.required ?? [],
      };
    }
    default:
      return { is: "anything" };
  }
}

/** A shape without what has no meaning: the order of values and fields. */
export function normal(shape: Shape): unknown {
  const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
  switch (shape.is) {
    case "string":
    case "number":
    case "boolean":
      return shape.values ? { is: shape.is, values: sorted(shape.values) } : { is: shape.is };
    case "list":
      return {
        is: "list",
        of: normal(shape.of),
        least: shape.least ?? 0,
        ...(shape.length === undefined ? {} : { length: shape.length }),
      };
    case "record":
    case "null or":
      return { is: shape.is, of: normal(shape.of) };
    case "object": {
      const names = Object.keys(shape.fields).sort();
      const fields = names.map((name) => [name, normal(shape.fields[name] ?? nothing(""))]);
      return {
        is: "object",
        fields: Object.fromEntries(fields) as unknown,
        required: sorted(shape.required),
      };
    }
    default:
      return shape;
  }
}
