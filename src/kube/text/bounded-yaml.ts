/**
 * YAML of unknown authors, read in bounded time and memory: a short text can have a million tokens
 * or mistakes, nest so deep that the stack ends, and have aliases that multiply its values.
 */
import {
  type Alias,
  Composer,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from "yaml";

/** The bounds of a text. */
export interface YamlLimits {
  readonly tokens: number;
  /** The deepest nesting of lists and mappings. */
  readonly depth: number;
  /** How many values the aliases of a document may add to it; a text counts as one more for each 16 characters. */
  readonly aliased: number;
}

/** What is wrong with a text that the parser accepts. */
export type YamlFault =
  | "tokens"
  | "depth"
  | "aliased"
  | "unknown anchor"
  | "circular anchor"
  | "merge"
  | "key"
  | "repeated key";

/** A problem of a text; readers report it in their own words. */
export class YamlProblem extends Error {
  override readonly name = "YamlProblem";
  readonly fault: YamlFault;
  /** The position in the text. */
  readonly offset: number;
  /** The name of the anchor or the key. */
  readonly about: string;

  constructor(fault: YamlFault, offset: number, about = "") {
    super(`${fault} ${about}`.trim());
    this.fault = fault;
    this.offset = offset;
    this.about = about;
  }
}

type Tokens = ReturnType<Parser["parse"]>;
type ComposerOptions = NonNullable<ConstructorParameters<typeof Composer>[0]>;

/** How a text is parsed. */
export interface YamlParsing extends Pick<ComposerOptions, "schema" | "version"> {
  readonly limits: YamlLimits;
  /** Whether the rest of the text is ignored, as Go does it. */
  readonly firstDocument?: boolean;
  /** Sees the tokens before they are composed. */
  readonly inspect?: (tokens: Tokens) => Tokens;
}

type ReportMistake = (source: unknown, code: unknown, message: unknown, warns?: boolean) => void;

/** The most mistakes of a text that are kept, and as many warnings: each has a stack of its own. */
const MAX_MISTAKES = 100;
/** How many tokens are read after a quote that is not closed: the text is wrong, and the rest may be all of it. */
const AFTER_OPEN_QUOTE = 1000;

/** A text has enough mistakes: it is not read to its end. */
class EnoughMistakes extends Error {}

/**
 * Parses the documents of a text, which may have mistakes.
 *
 * @throws YamlProblem for a text with too many tokens, or nested too deep
 */
export function* parseYaml(
  text: string,
  lines: LineCounter,
  parsing: YamlParsing,
): Generator<Document.Parsed> {
  const { limits, firstDocument = false, inspect = (tokens) => tokens, ...options } = parsing;
  // Repeated keys are found where the values are read: the composer takes quadratic time for them.
  const composer = new Composer({ ...options, uniqueKeys: false, logLevel: "silent" });
  const report = composer["onError"] as ReportMistake;
  const counts = { mistakes: 0, warnings: 0 };
  composer["onError"] = ((source, code, message, isWarning = false) => {
    const count = ++counts[isWarning ? "warnings" : "mistakes"];
    if (count <= MAX_MISTAKES) report(source, code, message, isWarning);
    else if (!isWarning) throw new EnoughMistakes();
  }) satisfies ReportMistake;
  const tokens = inspect(boundedTokens(text, lines, limits, firstDocument));
  try {
    for (const document of composer.compose(tokens, false, text.length)) {
      yield document;
      if (firstDocument) return;
    }
  } catch (error) {
    if (!(error instanceof EnoughMistakes)) throw error;
    const document = new Document() as Document.Parsed;
    document.errors.push(...(composer["errors"] as Document["errors"]));
    yield document;
  }
}

function* boundedTokens(
  text: string,
  lines: LineCounter,
  { tokens: maxTokens, depth }: YamlLimits,
  firstDocument: boolean,
): Tokens {
  const parser = new Parser(lines.addNewLine);
  let count = 0;
  let mistakes = 0;
  let isWhole = false;
  let last = Infinity;
  let before = "";
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxTokens) throw new YamlProblem("tokens", parser.offset);
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === "error") mistakes++;
      isWhole ||= token.type === "document";
    }
    if (before !== SCALAR && isOpenQuote(lexeme)) last = Math.min(last, count + AFTER_OPEN_QUOTE);
    before = lexeme;
    if (mistakes > MAX_MISTAKES || count >= last) break;
    // The document itself is on the stack as well.
    if (parser.stack.length > depth + 1) throw new YamlProblem("depth", parser.offset);
    if (firstDocument && isWhole && (lexeme === "---" || lexeme === "...")) return;
  }
  yield* parser.end();
}

/** The lexeme before the text of a scalar without quotes. */
const SCALAR = "\u001f";

/** Whether a lexeme is the beginning of a quoted text that does not end. */
const isOpenQuote = (lexeme: string): boolean =>
  /^["']/.test(lexeme) && (lexeme.length === 1 || !lexeme.endsWith(lexeme.charAt(0)));

/** What a reader makes of the nodes of a document. */
export interface YamlRules {
  readonly scalar: (node: Scalar) => unknown;
  /** A key that is no text, as the text that JSON has for it; `undefined` when it has none. */
  readonly key: (value: unknown) => string | undefined;
  /** Called for a key that its mapping has already, before the value is replaced. */
  readonly repeated: (problem: YamlProblem, value: unknown) => void;
  /** Whether a key beside `<<` repeats one that `<<` has added before, and the last mapping of `<<` wins. */
  readonly strictMerge?: boolean;
}

/** The rules of YAML 1.2: keys are texts, and a key is there once. */
export const CORE_RULES: YamlRules = {
  scalar: ({ value }) => value,
  key: (value) => {
    if (value === null || value === undefined) return "";
    return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  },
  repeated: (problem) => {
    throw problem;
  },
};

/** The length of a text, in characters, that counts as one value. */
const TEXT_OF_ONE = 16;

/** How many values a node counts as. */
function sizeOf(node: unknown): number {
  if (!isScalar(node)) return 1;
  const text = typeof node.value === "string" ? node.value : (node.source ?? "");
  return 1 + Math.floor(text.length / TEXT_OF_ONE);
}

/** Reads the values of one document: plain JSON, of which no two places share an object. */
export class YamlValues {
  readonly #limits: YamlLimits;
  readonly #rules: YamlRules;
  /** The anchors so far: an alias means the last one of its name before it. */
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node>();
  /** The collections that are being read. */
  readonly #open = new Set<unknown>();
  #aliased = 0;
  #aliases = 0;

  constructor(limits: YamlLimits, rules: YamlRules) {
    this.#limits = limits;
    this.#rules = rules;
  }

  /** The value of a node. @throws YamlProblem */
  read(node: unknown): unknown {
    if (isAlias(node)) return this.#readAlias(node);
    if (this.#aliases > 0) {
      this.#aliased += sizeOf(node);
      if (this.#aliased > this.#limits.aliased) throw problemAt(node, "aliased");
    }
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#rules.scalar(node);
    if (this.#open.size >= this.#limits.depth) throw problemAt(node, "depth");
    this.#open.add(node);
    const value = isMap(node) ? this.#readMap(node) : node.items.map((item) => this.read(item));
    this.#open.delete(node);
    return value;
  }

  #readAlias(alias: Alias): unknown {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (!target) throw problemAt(alias, "unknown anchor", alias.source);
    if (this.#open.has(target)) throw problemAt(alias, "circular anchor", alias.source);
    this.#targets.set(alias, target);
    this.#aliases++;
    const value = this.read(target);
    this.#aliases--;
    return value;
  }

  #readMap({ items }: YAMLMap): unknown {
    const map = new Map<string, unknown>();
    const merged = new Set<string>();
    for (const pair of items) {
      if (isMerge(pair)) {
        for (const [name, value] of this.#readMerge(pair.value)) {
          if (map.has(name)) continue;
          map.set(name, value);
          merged.add(name);
        }
        continue;
      }
      const { key } = pair;
      const read = this.read(key);
      const name = typeof read === "string" ? read : this.#rules.key(read);
      if (name === undefined) throw problemAt(key, "key");
      const value = this.read(pair.value);
      if (map.has(name) && (this.#rules.strictMerge === true || !merged.delete(name))) {
        this.#rules.repeated(problemAt(key, "repeated key", name), read);
      }
      map.set(name, value);
    }
    // Not by assignment: a key may be `__proto__`.
    return Object.fromEntries(map);
  }

  /** The fields that `<<` adds: of a mapping, or of a list of mappings. */
  #readMerge(node: unknown): [name: string, value: unknown][] {
    const value = this.read(node);
    const maps: unknown[] = Array.isArray(value) ? value : [value];
    return (this.#rules.strictMerge === true ? maps.toReversed() : maps).flatMap((map) => {
      if (typeof map !== "object" || map === null || Array.isArray(map)) {
        throw problemAt(node, "merge");
      }
      return Object.entries(map);
    });
  }
}

const isMerge = ({ key }: Pair): boolean =>
  isScalar(key) && key.type === "PLAIN" && key.value === "<<";

function problemAt(node: unknown, fault: YamlFault, about?: string): YamlProblem {
  return new YamlProblem(fault, (node as Node | null)?.range?.[0] ?? 0, about);
}
