/**
 * A schema prepared for checking values: everything that follows from the schema alone is computed
 * once.
 */
import { RE2JS } from "re2js";
import { messageOf } from "../../errors.ts";
import { isKnownFormat, stringFormat } from "./formats.ts";
import type { Schema } from "./structural.ts";

/** The number of remembered results of a pattern: most texts of a field come again. */
const VERDICTS_MAX = 256;
/** Longer texts are seldom the same ones. */
const KEPT_TEXT_MAX = 256;

/** A pattern in Go's syntax, compiled on first use. */
class Pattern {
  readonly source: string;
  #compiled: RE2JS | Error | undefined;
  readonly #verdicts = new Map<string, boolean>();

  constructor(source: string) {
    this.source = source;
  }

  /** Why it is not a pattern; `undefined` for a valid one. */
  get mistake(): string | undefined {
    const compiled = this.#compile();
    return compiled instanceof Error ? compiled.message : undefined;
  }

  /** Whether it is found in the text; `false` for an invalid pattern. */
  isIn(text: string): boolean {
    const known = this.#verdicts.get(text);
    if (known !== undefined) return known;
    const compiled = this.#compile();
    const verdict = !(compiled instanceof Error) && compiled.matcher(text).find();
    if (text.length <= KEPT_TEXT_MAX) {
      if (this.#verdicts.size >= VERDICTS_MAX) this.#verdicts.clear();
      this.#verdicts.set(text, verdict);
    }
    return verdict;
  }

  #compile(): RE2JS | Error {
    if (this.#compiled) return this.#compiled;
    try {
      this.#compiled = RE2JS.compile(this.source);
    } catch (error) {
      this.#compiled = error instanceof Error ? error : new Error(messageOf(error));
    }
    return this.#compiled;
  }
}

/** The types that a value may have; none where the schema does not restrict them. */
function typesOf(schema: Schema, intOrString: boolean): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return intOrString ? ["integer", "string"] : [];
  return schema.type === undefined ? [] : [schema.type];
}

interface PreparedField {
  readonly name: string;
  readonly node: PreparedSchema;
}

/** One node of a schema; those below it are prepared when a value leads there. */
export class PreparedSchema {
  readonly schema: Schema;
  readonly types: readonly string[];
  /** The type where there is just one. */
  readonly onlyType: string | undefined;
  /** Empty for a format that is not checked for values of the type. */
  readonly format: string;
  /** The check of the format for texts. */
  readonly isFormat: ((text: string) => boolean) | undefined;
  readonly pattern: Pattern | undefined;
  readonly hasBranches: boolean;
  readonly #intOrString: boolean;
  #fields: readonly PreparedField[] | undefined;
  #items: PreparedSchema | undefined;
  #values: PreparedSchema | undefined;
  #branches: Map<Schema, PreparedSchema> | undefined;

  /** @param intOrString - `false`: ints-or-strings may be anything, as they may in defaults */
  constructor(schema: Schema, intOrString: boolean) {
    const { format, anyOf, oneOf, allOf, not } = schema;
    this.schema = schema;
    this.#intOrString = intOrString;
    this.types = typesOf(schema, intOrString);
    this.onlyType = this.types.length === 1 ? this.types[0] : undefined;
    this.format = format !== undefined && isKnownFormat(format, this.onlyType) ? format : "";
    this.isFormat = stringFormat(this.format);
    this.pattern = schema.pattern ? new Pattern(schema.pattern) : undefined;
    this.hasBranches = Boolean(anyOf ?? oneOf ?? allOf ?? not);
  }

  /** The declared fields, in their order. */
  get fields(): readonly PreparedField[] {
    this.#fields ??= Object.entries(this.schema.properties ?? {}).map(([name, schema]) => ({
      name,
      node: this.#prepare(schema),
    }));
    return this.#fields;
  }

  /** The schema of a list's items; `undefined` where they are not described. */
  get items(): PreparedSchema | undefined {
    const { items } = this.schema;
    if (items) this.#items ??= this.#prepare(items);
    return this.#items;
  }

  /** The schema of a map's values; `undefined` where they are not described. */
  get values(): PreparedSchema | undefined {
    const { additionalProperties } = this.schema;
    if (typeof additionalProperties === "object") {
      this.#values ??= this.#prepare(additionalProperties);
    }
    return this.#values;
  }

  /** The schema of a branch: of one of `anyOf`, `oneOf`, `allOf`, or of `not`. */
  branch(schema: Schema): PreparedSchema {
    this.#branches ??= new Map();
    let branch = this.#branches.get(schema);
    if (!branch) this.#branches.set(schema, (branch = this.#prepare(schema)));
    return branch;
  }

  #prepare(schema: Schema): PreparedSchema {
    return new PreparedSchema(schema, this.#intOrString);
  }
}
