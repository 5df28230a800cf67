/**
 * The errors of a text that is not CEL: those that ANTLR reports, with its recovery after each.
 *
 * @see https://github.com/antlr/antlr4/blob/master/doc/parser-rules.md#catching-exceptions
 */
import { buildGrammar, type Edge, type Grammar, type RuleName, type State } from "./grammar.ts";
import type { CelIssue } from "../issues.ts";
import { TOKEN_ORDER, type Token, type TokenKind } from "./lexer.ts";
import { type Frame, Predictor } from "./prediction.ts";
import { TokenSets } from "./token-sets.ts";

/** The most recoveries after a mistake, and the most tokens that each may skip. */
const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;

/**
 * The syntax errors among tokens that are known to have some.
 *
 * @param maxDepth - how often a rule may be inside itself
 */
export function syntaxIssues(tokens: readonly Token[], maxDepth: number): CelIssue[] {
  const recognizer = new Recognizer(tokens, buildGrammar(), maxDepth);
  recognizer.run();
  return recognizer.issues;
}

/** Thrown where a rule cannot continue; the rule reports it and recovers. */
class Mismatch extends Error {}

/** Thrown where reading ends. */
class Stopped extends Error {}

class Recognizer {
  readonly issues: CelIssue[] = [];
  readonly #tokens: readonly Token[];
  readonly #grammar: Grammar;
  readonly #sets: TokenSets;
  readonly #predictor: Predictor;
  readonly #maxDepth: number;
  readonly #depths = new Map<RuleName, number>();
  #next = 0;
  #state: State;
  #frame: Frame | undefined;
  /** Whether the parser recovers: a mistake is reported once, until something fits again. */
  #recovering = false;
  #lastErrorAt = -1;
  #lastErrorStates = new Set<State>();
  #recoveries = 0;

  constructor(tokens: readonly Token[], grammar: Grammar, maxDepth: number) {
    this.#tokens = tokens;
    this.#grammar = grammar;
    this.#maxDepth = maxDepth;
    this.#sets = new TokenSets(grammar);
    this.#predictor = new Predictor(grammar, this.#sets);
    this.#state = grammar.start;
  }

  run(): void {
    try {
      this.#rule("start", 0, undefined);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
  }

  #stop(message: string): never {
    this.issues.push({ offset: undefined, message });
    throw new Stopped();
  }

  #tokenAt(offset: number): Token {
    const index = Math.min(this.#next + offset, this.#tokens.length - 1);
    return this.#tokens[index] ?? { kind: "EOF", text: "<EOF>", at: 0 };
  }

  get #kind(): TokenKind {
    return this.#tokenAt(0).kind;
  }

  #consume(): void {
    if (this.#kind !== "EOF") this.#next++;
  }

  #rule(name: RuleName, precedence: number, follow: State | undefined): void {
    const outer = this.#frame;
    const depth = (this.#depths.get(name) ?? 0) + 1;
    if (depth > this.#maxDepth) this.#stop(recursionLimit(this.#maxDepth));
    this.#depths.set(name, depth);
    this.#frame = { precedence, follow, outer };
    try {
      this.#walk(this.#grammar[name]);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (error.message !== "") this.#report(error.message);
      this.#recover();
    } finally {
      this.#frame = outer;
      this.#depths.set(name, depth - 1);
    }
  }

  #walk(start: State): void {
    let state = start;
    // On the way back to the start of a loop's body, nothing is checked again.
    let synced = false;
    while (!state.isEnd) {
      this.#state = state;
      const isPlace = state.kind !== "basic";
      if (isPlace && !synced) this.#sync(state);
      synced = state.kind === "loopBack" || state.kind === "plusBack";
      state = this.#follow(this.#choose(state));
    }
  }

  #choose(state: State): Edge {
    const [only] = state.edges;
    if (!only) throw new Mismatch();
    if (state.edges.length === 1) return only;
    const choice = this.#predictor.predict(state, this.#tokens, this.#next, this.#frame);
    if (typeof choice === "number") return state.edges[choice] ?? only;
    const text = this.#tokens
      .slice(this.#next, choice.failedAt + 1)
      .filter(({ kind }) => kind !== "EOF")
      .map((token) => token.text)
      .join("");
    const shown = this.#kind === "EOF" ? "<EOF>" : text;
    const reserved = /^.(true|false|null)$/.exec(shown)?.[1];
    this.#reportAt(
      this.#tokens[choice.failedAt],
      reserved === undefined
        ? `no viable alternative at input ${quoted(shown)}`
        : `mismatched input '${reserved}' expecting IDENTIFIER`,
    );
    throw new Mismatch();
  }

  #follow(edge: Edge): State {
    if (edge.tokens) this.#match(edge);
    else if (edge.rule) this.#rule(edge.rule, edge.precedence ?? 0, edge.to);
    return edge.to;
  }

  #match(edge: Edge): void {
    if (edge.tokens?.includes(this.#kind)) {
      this.#recovering = false;
      this.#consume();
      return;
    }
    this.#countRecovery();
    if (this.#dropOne()) {
      this.#consume();
      return;
    }
    const after = this.#expectedFrom(edge.to);
    if (!after.has(this.#kind)) throw new Mismatch(this.#mismatch());
    const expected = formatSet(this.#expected());
    this.#report(`missing ${expected} at ${quoted(this.#tokenAt(0).text)}`);
  }

  /** Drops a superfluous token, when the one after it would fit. */
  #dropOne(): boolean {
    const expected = this.#expected();
    if (!expected.has(this.#tokenAt(1).kind) || this.#tokenAt(0).kind === "EOF") return false;
    this.#unwanted();
    this.#consume();
    this.#recovering = false;
    return true;
  }

  #unwanted(): void {
    const expected = formatSet(this.#expected());
    this.#report(`extraneous input ${quoted(this.#tokenAt(0).text)} expecting ${expected}`);
  }

  #mismatch(): string {
    const expected = formatSet(this.#expected());
    return `mismatched input ${quoted(this.#tokenAt(0).text)} expecting ${expected}`;
  }

  /** Checks that the next token fits here, before an alternative is chosen. */
  #sync(state: State): void {
    if (this.#recovering) return;
    const { tokens: fitting, canEnd } = this.#sets.at(state);
    if (fitting.has(this.#kind) || canEnd) return;
    if (state.kind === "loopBack" || state.kind === "plusBack") {
      this.#unwanted();
      this.#skipTo(new Set([...this.#expected(), ...this.#recoverySet()]));
    } else if (!this.#dropOne()) throw new Mismatch(this.#mismatch());
  }

  #expected(): ReadonlySet<TokenKind> {
    return this.#expectedFrom(this.#state);
  }

  #expectedFrom(state: State): ReadonlySet<TokenKind> {
    let { tokens, canEnd } = this.#sets.at(state);
    const expected = new Set(tokens);
    for (let frame = this.#frame; canEnd; frame = frame.outer) {
      if (!frame?.follow) return expected.add("EOF");
      ({ tokens, canEnd } = this.#sets.at(frame.follow));
      for (const kind of tokens) expected.add(kind);
    }
    return expected;
  }

  /** The tokens that can come after the open rules. */
  #recoverySet(): ReadonlySet<TokenKind> {
    const tokens = new Set<TokenKind>();
    for (let frame = this.#frame; frame?.follow; frame = frame.outer) {
      for (const kind of this.#sets.at(frame.follow).tokens) tokens.add(kind);
    }
    return tokens;
  }

  #countRecovery(): void {
    if (++this.#recoveries <= MAX_RECOVERIES) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${MAX_RECOVERIES}`;
    this.issues.push({ offset: this.#tokenAt(0).at, message });
    throw new Stopped();
  }

  #recover(): void {
    this.#countRecovery();
    const start = this.#next;
    if (this.#lastErrorAt === this.#next && this.#lastErrorStates.has(this.#state)) {
      this.#consume();
    }
    if (this.#lastErrorAt !== this.#next) this.#lastErrorStates = new Set();
    this.#lastErrorAt = this.#next;
    this.#lastErrorStates.add(this.#state);
    this.#skipTo(this.#recoverySet(), start + MAX_SKIPPED);
  }

  /** @param end - the index of the last token to skip to */
  #skipTo(tokens: ReadonlySet<TokenKind>, end = Infinity): void {
    while (this.#kind !== "EOF" && !tokens.has(this.#kind)) {
      if (this.#next >= end) {
        this.#stop(`error recovery token lookahead limit exceeded: ${MAX_SKIPPED}`);
      }
      this.#consume();
    }
  }

  #report(message: string): void {
    this.#reportAt(this.#tokenAt(0), message);
  }

  #reportAt(token: Token | undefined, message: string): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.issues.push({ offset: token?.at ?? 0, message: `Syntax error: ${message}` });
  }
}

/** The error of an expression whose rules are nested too deeply. */
export const recursionLimit = (depth: number): string =>
  `expression recursion limit exceeded: ${depth}`;

const quoted = (text: string): string =>
  `'${text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;

const isSymbol = (kind: TokenKind): boolean => !/^[A-Z]/.test(kind);

function formatSet(tokens: ReadonlySet<TokenKind>): string {
  const names = TOKEN_ORDER.filter((kind) => tokens.has(kind)).map((kind) => {
    if (kind === "EOF") return "<EOF>";
    return isSymbol(kind) ? `'${kind}'` : kind;
  });
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}
