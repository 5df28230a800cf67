/**
 * What to say of a text that is not CEL: the errors that ANTLR reports, and how it goes on after each.
 *
 * @see https://github.com/antlr/antlr4/blob/master/doc/parser-rules.md#catching-exceptions
 * @module
 */
import { buildGrammar, type Edge, type Grammar, type RuleName, type State } from "./grammar.ts";
import type { CelIssue } from "./issues.ts";
import { TOKEN_ORDER, type Token, type TokenKind } from "./lexer.ts";
import { predict, type Frame } from "./prediction.ts";
import { canEnd, firstTokens } from "./token-sets.ts";

/** The syntax errors among tokens that are known to have some. */
export function syntaxIssues(tokens: readonly Token[]): CelIssue[] {
  const recognizer = new Recognizer(tokens, buildGrammar());
  recognizer.run();
  return recognizer.issues;
}

/** Thrown where a rule cannot go on; the rule reports it and recovers. */
class Mismatch extends Error {}

class Recognizer {
  readonly issues: CelIssue[] = [];
  readonly #tokens: readonly Token[];
  readonly #grammar: Grammar;
  #next = 0;
  #state: State;
  #frame: Frame | undefined;
  /** One mistake is reported once: until something fits again, nothing is. */
  #recovering = false;
  #lastErrorAt = -1;
  #lastErrorStates = new Set<State>();

  constructor(tokens: readonly Token[], grammar: Grammar) {
    this.#tokens = tokens;
    this.#grammar = grammar;
    this.#state = grammar.start;
  }

  run(): void {
    this.#rule("start", 0, undefined);
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
    this.#frame = { precedence, follow, outer };
    try {
      this.#walk(this.#grammar[name]);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (error.message !== "") this.#report(error.message);
      this.#recover();
    } finally {
      this.#frame = outer;
    }
  }

  #walk(start: State): void {
    let state = start;
    // Going back to the start of a loop's body, nothing is checked again.
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
    const tokens = this.#tokens.slice(this.#next);
    const choice = predict(state, tokens, this.#frame, this.#grammar);
    if (typeof choice === "number") return state.edges[choice] ?? only;
    const text = tokens
      .slice(0, choice.failedAt + 1)
      .filter(({ kind }) => kind !== "EOF")
      .map((token) => token.text)
      .join("");
    const shown = tokens[0]?.kind === "EOF" ? "<EOF>" : text;
    const reserved = /^.(true|false|null)$/.exec(shown)?.[1];
    this.#reportAt(
      tokens[choice.failedAt],
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
    if (this.#dropOne()) {
      this.#consume();
      return;
    }
    const after = this.#expectedFrom(edge.to);
    if (!after.has(this.#kind)) throw new Mismatch(this.#mismatch());
    const expected = formatSet(this.#expected());
    this.#report(`missing ${expected} at ${quoted(this.#tokenAt(0).text)}`);
  }

  /** Drops a token that is too much, when the one after it would fit. */
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

  /** Checks that the next token fits here, before the way is chosen. */
  #sync(state: State): void {
    if (this.#recovering) return;
    const fitting = firstTokens(state, this.#grammar);
    if (fitting.has(this.#kind) || canEnd(state, this.#grammar)) return;
    if (state.kind === "loopBack" || state.kind === "plusBack") {
      this.#unwanted();
      this.#skipTo(new Set([...this.#expected(), ...this.#recoverySet()]));
    } else if (!this.#dropOne()) throw new Mismatch(this.#mismatch());
  }

  #expected(): ReadonlySet<TokenKind> {
    return this.#expectedFrom(this.#state);
  }

  #expectedFrom(state: State): ReadonlySet<TokenKind> {
    const expected = new Set(firstTokens(state, this.#grammar));
    let at: State | undefined = state;
    let frame = this.#frame;
    while (at && canEnd(at, this.#grammar)) {
      at = frame?.follow;
      frame = frame?.outer;
      if (!at) expected.add("EOF");
      else for (const kind of firstTokens(at, this.#grammar)) expected.add(kind);
    }
    return expected;
  }

  /** All that may come after the rules that are open. */
  #recoverySet(): ReadonlySet<TokenKind> {
    const tokens = new Set<TokenKind>();
    for (let frame = this.#frame; frame?.follow; frame = frame.outer) {
      for (const kind of firstTokens(frame.follow, this.#grammar)) tokens.add(kind);
    }
    return tokens;
  }

  #recover(): void {
    if (this.#lastErrorAt === this.#next && this.#lastErrorStates.has(this.#state)) {
      this.#consume();
    }
    if (this.#lastErrorAt !== this.#next) this.#lastErrorStates = new Set();
    this.#lastErrorAt = this.#next;
    this.#lastErrorStates.add(this.#state);
    this.#skipTo(this.#recoverySet());
  }

  #skipTo(tokens: ReadonlySet<TokenKind>): void {
    while (this.#kind !== "EOF" && !tokens.has(this.#kind)) this.#consume();
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
